// Reads an endpoint's statistics from one row per hour, so the cost does not depend on the number of deliveries.
import { and, eq, gt, lte, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { queryDeliveryDatabases } from "../../core/write/delivery-databases"
import { isHidden } from "../../core/write/rehoming"
import { batch } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { webhookHours, webhookTotals } from "../../db/schema/central/webhooks"
import { formatTimestamp, HOUR } from "../../lib/time"
import { DELAY_BUCKETS_MS, getPercentile, LATENCY_BUCKETS_MS, STATUS_CLASSES, sumHistograms } from "../histogram"
import { selectOldestDue } from "../lateness"
import { selectEndpointId } from "../receiving-condition"
import type { StatsResource } from "./schemas"

/**
 * Reads the statistics of the last hours, including the current one, with one bucket per hour, oldest first.
 * @throws Refusal `not_found`
 */
export async function readStats(ctx: Ctx, endpointId: number, hours: number): Promise<z.input<typeof StatsResource>> {
  const last = Math.floor(ctx.now.getTime() / HOUR)
  const results = await queryDeliveryDatabases(ctx, ({ db, name }) =>
    batch(db, [
      selectEndpointId({ endpoint: endpointId }),
      selectHours({ endpoint: endpointId, after: last - hours, last }),
      selectBacklog({ endpoint: endpointId, home: name }),
      selectOldestDue(ctx, db, endpointId),
    ]),
  )
  const dueSince = results.flatMap(([, , , [oldest]]) => oldest?.since ?? [])
  // While the endpoint moves to another database, both may have an hour.
  const byHour = new Map(results.flatMap(([, found]) => found.map((row) => [row.hour, row])))
  const rows = [...byHour.values()]
  if (!results.some(([known]) => known.length)) throw new Refusal("not_found")
  const statuses = sumHistograms(
    rows.map((row) => row.statuses),
    STATUS_CLASSES.length,
  )
  const latencies = sumHistograms(
    rows.map((row) => row.latencies),
    LATENCY_BUCKETS_MS.length + 1,
  )
  const delays = sumHistograms(
    rows.map((row) => row.delays),
    DELAY_BUCKETS_MS.length + 1,
  )
  const attempts = rows.reduce((total, row) => total + row.attempts, 0)
  const delivered = rows.reduce((total, row) => total + row.delivered, 0)
  return {
    attempts,
    delivered,
    failed: attempts - delivered,
    statuses: Object.fromEntries(STATUS_CLASSES.map((name, index) => [name, statuses[index] ?? 0])) as Record<
      (typeof STATUS_CLASSES)[number],
      number
    >,
    latency_ms: getPercentiles(latencies, LATENCY_BUCKETS_MS),
    delivery_latency_ms: getPercentiles(delays, DELAY_BUCKETS_MS),
    backlog: results.reduce((total, [, , [counted]]) => total + (counted?.open ?? 0), 0),
    oldest_due_at: dueSince.length ? formatTimestamp(new Date(Math.min(...dueSince))) : null,
    buckets: Array.from({ length: hours }, (_, index) => {
      const hour = last - hours + 1 + index
      const row = byHour.get(hour)
      const counts = { attempts: row?.attempts ?? 0, delivered: row?.delivered ?? 0 }
      return { hour: formatTimestamp(new Date(hour * HOUR)), ...counts, failed: counts.attempts - counts.delivered }
    }),
  }
}

const getPercentiles = (counts: number[], bounds: readonly number[]) => ({
  p50: getPercentile(counts, 0.5, bounds),
  p95: getPercentile(counts, 0.95, bounds),
  p99: getPercentile(counts, 0.99, bounds),
})

/** Selects the number of open deliveries; none in the database that an endpoint moves from or to. */
const selectBacklog = prepareRead<{ open: number }, { endpoint: number; home: string }>((db) =>
  db
    .select({ open: sql<number>`coalesce(sum(${webhookTotals.pending} + ${webhookTotals.failed}), 0)`.as("open") })
    .from(webhookTotals)
    .where(
      and(
        eq(webhookTotals.endpointId, param("endpoint")),
        sql`not ${isHidden(sql`${webhookTotals.endpointId}`, param("home"))}`,
      ),
    ),
)

const selectHours = prepareRead<typeof webhookHours.$inferSelect, { endpoint: number; after: number; last: number }>(
  (db) =>
    db
      .select()
      .from(webhookHours)
      .where(
        and(
          eq(webhookHours.endpointId, param("endpoint")),
          gt(webhookHours.hour, param("after")),
          lte(webhookHours.hour, param("last")),
        ),
      ),
)
