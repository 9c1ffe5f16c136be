// An endpoint's numbers: a row an hour, whatever number of deliveries stands behind it.
import { and, eq, gt, lte } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { batch } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { webhookHours } from "../../db/schema/central/webhooks"
import { HOUR, timestamp } from "../../lib/time"
import { CLASSES, percentile, STEPS, sum } from "../histogram"
import { knownEndpoint } from "../receiving-condition"
import type { StatsResource } from "./schemas"

/**
 * What the attempts of the last hours came to, this hour included; a bucket for each, the oldest first.
 * @throws Refusal `not_found`
 */
export async function readStats(ctx: Ctx, endpointId: number, hours: number): Promise<z.input<typeof StatsResource>> {
  const last = Math.floor(ctx.now.getTime() / HOUR)
  const [known, rows] = await batch(ctx.db, [
    knownEndpoint({ endpoint: endpointId }),
    hoursOf({ endpoint: endpointId, after: last - hours, last }),
  ])
  if (!known.length) throw new Refusal("not_found")
  const byHour = new Map(rows.map((row) => [row.hour, row]))
  const statuses = sum(
    rows.map((row) => row.statuses),
    CLASSES.length,
  )
  const latencies = sum(
    rows.map((row) => row.latencies),
    STEPS.length + 1,
  )
  const attempts = rows.reduce((total, row) => total + row.attempts, 0)
  const delivered = rows.reduce((total, row) => total + row.delivered, 0)
  return {
    attempts,
    delivered,
    failed: attempts - delivered,
    statuses: Object.fromEntries(CLASSES.map((name, index) => [name, statuses[index] ?? 0])) as Record<
      (typeof CLASSES)[number],
      number
    >,
    latency_ms: {
      p50: percentile(latencies, 0.5),
      p95: percentile(latencies, 0.95),
      p99: percentile(latencies, 0.99),
    },
    buckets: Array.from({ length: hours }, (_, index) => {
      const hour = last - hours + 1 + index
      const row = byHour.get(hour)
      const made = { attempts: row?.attempts ?? 0, delivered: row?.delivered ?? 0 }
      return { hour: timestamp(new Date(hour * HOUR)), ...made, failed: made.attempts - made.delivered }
    }),
  }
}

const hoursOf = compiled<typeof webhookHours.$inferSelect, { endpoint: number; after: number; last: number }>((db) =>
  db
    .select()
    .from(webhookHours)
    .where(
      and(
        eq(webhookHours.endpointId, given("endpoint")),
        gt(webhookHours.hour, given("after")),
        lte(webhookHours.hour, given("last")),
      ),
    ),
)
