// Counts the items that need attention for the overview. Counts use indexes and are capped, so the cost does not grow
// with the data.
import { and, asc, count, eq, gt, gte, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { queryAvailableDatabases } from "../../core/write/delivery-databases"
import { batch } from "../../db/client"
import { counters } from "../../db/schema/central/counters"
import { domains } from "../../db/schema/central/domains"
import { apiKeys } from "../../db/schema/central/keys"
import { orders } from "../../db/schema/central/orders"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { webhookDeliveries, webhookEndpoints, webhookHours } from "../../db/schema/central/webhooks"
import { addMs, DAY, HOUR } from "../../lib/time"
import { endpointIsDisabled } from "../../webhooks/receiving-condition"
import { listAlertStatuses, selectAlerts } from "../alerts/service"
import { selectRuns, toRuns } from "../cron/service"
import { isGraceEnding, isKeyExpiring, isVerificationOverdue } from "./conditions"

/** Counts stop here; the page shows "500+". */
export const MAX_COUNT = 500

/** The kind of an error: its text up to the first colon, without references that differ each time. */
const errorKind = sql<
  string | null
>`iif(instr(${webhookDeliveries.error}, ':') > 0, substr(${webhookDeliveries.error}, 1, instr(${webhookDeliveries.error}, ':') - 1), ${webhookDeliveries.error})`

/** Days before the end of a grace period, or the expiry of an API key, from which it needs attention. */
export const GRACE_WARNING_DAYS = 3
export const KEY_EXPIRY_WARNING_DAYS = 14

/** Reads everything that the overview shows, in one round trip. */
export async function readAttention(ctx: Ctx) {
  const { db } = ctx
  const hour = Math.floor(ctx.now.getTime() / HOUR)
  // The conditions have to match those of the partial index literally.
  const latest = sql`select id from webhook_deliveries where status in ('failed', 'exhausted') and status = 'exhausted' order by id desc limit ${MAX_COUNT}`
  const selectExhausted = ({ db }: Pick<Ctx, "db">) => {
    const exhausted = db
      .select({ error: errorKind.as("kind") })
      .from(webhookDeliveries)
      .where(and(sql`${webhookDeliveries.id} in (${latest})`, gte(webhookDeliveries.updatedAt, addMs(ctx.now, -DAY))))
      .as("exhausted")
    return db.select({ error: sql<string | null>`kind`, total: count() }).from(exhausted).groupBy(sql`kind`)
  }
  const selectHours = ({ db }: Pick<Ctx, "db">) =>
    db
      .select({
        hour: webhookHours.hour,
        attempts: sql<number>`sum(${webhookHours.attempts})`.as("attempts_of_hour"),
        delivered: sql<number>`sum(${webhookHours.delivered})`.as("delivered_of_hour"),
      })
      .from(webhookHours)
      .where(and(gt(webhookHours.hour, hour - 24), lte(webhookHours.hour, hour)))
      .groupBy(webhookHours.hour)
      .orderBy(asc(webhookHours.hour))
  const selectCappedCount = (
    table: typeof subscriptions | typeof domains | typeof apiKeys | typeof orders,
    where: SQL | undefined,
  ) =>
    db.select({ total: count() }).from(
      db
        .select({ one: sql`1`.as("one") })
        .from(table)
        .where(where)
        .limit(MAX_COUNT)
        .as("some"),
    )
  const state = batch(db, [
    db.select({ status: counters.filter, total: counters.total }).from(counters).where(eq(counters.list, "stores")),
    db
      .select({ id: webhookEndpoints.id, url: webhookEndpoints.url })
      .from(webhookEndpoints)
      .where(endpointIsDisabled)
      .limit(MAX_COUNT),
    selectCappedCount(subscriptions, isGraceEnding(ctx, GRACE_WARNING_DAYS)),
    selectCappedCount(domains, isVerificationOverdue(ctx)),
    selectCappedCount(apiKeys, isKeyExpiring(ctx, KEY_EXPIRY_WARNING_DAYS)),
    selectCappedCount(orders, eq(orders.status, "pending")),
    selectRuns(ctx),
    selectExhausted(ctx),
    selectHours(ctx),
    selectAlerts(ctx),
  ])
  const deliveries = queryAvailableDatabases(ctx, async (database) => {
    if (!database.isCentral) return batch(database.db, [selectExhausted(database), selectHours(database)])
    const [, , , , , , , exhausted, hours] = await state
    return [exhausted, hours] as const
  })
  const [{ results, unavailable }, ofState] = await Promise.all([deliveries, state])
  const [byStatus, stoppedEndpoints, endingGracePeriods, unverifiedDomains, expiringKeys, open, runs, , , alerts] =
    ofState
  const errors = [
    ...Map.groupBy(
      results.flatMap(([rows]) => rows),
      ({ error }) => error,
    ),
  ].map(([error, rows]) => ({
    error,
    total: rows.reduce((sum, { total }) => sum + total, 0),
  }))
  const byHour = Map.groupBy(
    results.flatMap(([, hours]) => hours),
    (row) => row.hour,
  )
  return {
    stores: Object.fromEntries(byStatus.map(({ status, total }) => [status || "all", total])) as Record<string, number>,
    stopped: stoppedEndpoints.length,
    exhausted: errors,
    /** The delivery databases that did not respond, and whose deliveries are not counted. */
    unavailable,
    grace: endingGracePeriods[0]?.total ?? 0,
    waiting: unverifiedDomains[0]?.total ?? 0,
    expiring: expiringKeys[0]?.total ?? 0,
    orders: open[0]?.total ?? 0,
    runs: toRuns(runs),
    firing: listAlertStatuses(alerts, null).filter(({ state }) => state === "firing").length,
    attempts: Array.from({ length: 24 }, (_, index) => {
      const at = hour - 23 + index
      const rows = byHour.get(at) ?? []
      const delivered = rows.reduce((sum, row) => sum + row.delivered, 0)
      const attempts = rows.reduce((sum, row) => sum + row.attempts, 0)
      return { at: new Date(at * HOUR).toISOString(), good: delivered, bad: attempts - delivered }
    }),
  }
}
