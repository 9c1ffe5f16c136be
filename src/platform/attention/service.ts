// What needs somebody first: counted from indexes, so that it costs the same at any size, and never further than somebody reads.
import { and, asc, count, eq, gt, gte, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { batch } from "../../db/client"
import { counters } from "../../db/schema/central/counters"
import { domains } from "../../db/schema/central/domains"
import { apiKeys } from "../../db/schema/central/keys"
import { orders } from "../../db/schema/central/orders"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { webhookDeliveries, webhookEndpoints, webhookHours } from "../../db/schema/central/webhooks"
import { DAY, HOUR, later } from "../../lib/time"
import { endpointIsStopped } from "../../webhooks/receiving-condition"
import { selectRuns } from "../cron/service"
import { expiresWithin, graceEndsWithin, waitsLong } from "./conditions"

/** As many are counted, and no more: "500+" says enough. */
export const MOST = 500

/** Days within which what ends is told. */
export const GRACE_WITHIN = 3
export const KEYS_WITHIN = 14

/** Everything that the overview shows, in one round trip. */
export async function readAttention(ctx: Ctx) {
  const { db } = ctx
  const hour = Math.floor(ctx.now.getTime() / HOUR)
  // Written out, as the index of these has it.
  const latest = sql`select id from webhook_deliveries where status in ('failed', 'exhausted') and status = 'exhausted' order by id desc limit ${MOST}`
  const exhausted = db
    .select({ error: webhookDeliveries.error })
    .from(webhookDeliveries)
    .where(and(sql`${webhookDeliveries.id} in (${latest})`, gte(webhookDeliveries.updatedAt, later(ctx.now, -DAY))))
    .as("exhausted")
  const capped = (
    table: typeof subscriptions | typeof domains | typeof apiKeys | typeof orders,
    where: SQL | undefined,
  ) =>
    db.select({ total: count() }).from(
      db
        .select({ one: sql`1`.as("one") })
        .from(table)
        .where(where)
        .limit(MOST)
        .as("some"),
    )
  const [byStatus, stopped, errors, grace, waiting, expiring, open, runs, hours] = await batch(db, [
    db.select({ status: counters.filter, total: counters.total }).from(counters).where(eq(counters.list, "stores")),
    db
      .select({ id: webhookEndpoints.id, url: webhookEndpoints.url })
      .from(webhookEndpoints)
      .where(endpointIsStopped)
      .limit(MOST),
    db.select({ error: exhausted.error, total: count() }).from(exhausted).groupBy(exhausted.error),
    capped(subscriptions, graceEndsWithin(ctx, GRACE_WITHIN)),
    capped(domains, waitsLong(ctx)),
    capped(apiKeys, expiresWithin(ctx, KEYS_WITHIN)),
    capped(orders, eq(orders.status, "pending")),
    selectRuns(ctx),
    db
      .select({
        hour: webhookHours.hour,
        attempts: sql<number>`sum(${webhookHours.attempts})`.as("attempts_of_hour"),
        delivered: sql<number>`sum(${webhookHours.delivered})`.as("delivered_of_hour"),
      })
      .from(webhookHours)
      .where(and(gt(webhookHours.hour, hour - 24), lte(webhookHours.hour, hour)))
      .groupBy(webhookHours.hour)
      .orderBy(asc(webhookHours.hour)),
  ])
  const byHour = new Map(hours.map((row) => [row.hour, row]))
  return {
    stores: Object.fromEntries(byStatus.map(({ status, total }) => [status || "all", total])) as Record<string, number>,
    stopped: stopped.length,
    exhausted: errors,
    grace: grace[0]?.total ?? 0,
    waiting: waiting[0]?.total ?? 0,
    expiring: expiring[0]?.total ?? 0,
    orders: open[0]?.total ?? 0,
    runs,
    attempts: Array.from({ length: 24 }, (_, index) => {
      const at = hour - 23 + index
      const row = byHour.get(at)
      const delivered = row?.delivered ?? 0
      return { at: new Date(at * HOUR).toISOString(), good: delivered, bad: (row?.attempts ?? 0) - delivered }
    }),
  }
}
