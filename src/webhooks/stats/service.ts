// Reads an endpoint's statistics from one row per hour, so the cost does not depend on the number of deliveries.
import { and, eq, gt, lte } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { askDeliveryDatabases } from "../../core/write/delivery-databases"
import { batch } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { webhookHours } from "../../db/schema/central/webhooks"
import { formatTimestamp, HOUR } from "../../lib/time"
import { getPercentile, LATENCY_BUCKETS_MS, STATUS_CLASSES, sumHistograms } from "../histogram"
import { selectEndpointId } from "../receiving-condition"
import type { StatsResource } from "./schemas"

/**
 * Reads the statistics of the last hours, including the present one, with one bucket per hour, oldest first.
 * @throws Refusal `not_found`
 */
export async function readStats(ctx: Ctx, endpointId: number, hours: number): Promise<z.input<typeof StatsResource>> {
  const last = Math.floor(ctx.now.getTime() / HOUR)
  const answers = await askDeliveryDatabases(ctx, ({ db }) =>
    batch(db, [
      selectEndpointId({ endpoint: endpointId }),
      selectHours({ endpoint: endpointId, after: last - hours, last }),
    ]),
  )
  // While the endpoint moves to another database, both may have an hour.
  const byHour = new Map(answers.flatMap(([, found]) => found.map((row) => [row.hour, row])))
  const rows = [...byHour.values()]
  if (!answers.some(([known]) => known.length)) throw new Refusal("not_found")
  const statuses = sumHistograms(
    rows.map((row) => row.statuses),
    STATUS_CLASSES.length,
  )
  const latencies = sumHistograms(
    rows.map((row) => row.latencies),
    LATENCY_BUCKETS_MS.length + 1,
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
    latency_ms: {
      p50: getPercentile(latencies, 0.5),
      p95: getPercentile(latencies, 0.95),
      p99: getPercentile(latencies, 0.99),
    },
    buckets: Array.from({ length: hours }, (_, index) => {
      const hour = last - hours + 1 + index
      const row = byHour.get(hour)
      const counts = { attempts: row?.attempts ?? 0, delivered: row?.delivered ?? 0 }
      return { hour: formatTimestamp(new Date(hour * HOUR)), ...counts, failed: counts.attempts - counts.delivered }
    }),
  }
}

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
