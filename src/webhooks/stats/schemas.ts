// API schemas of an endpoint's statistics.
import * as z from "zod"
import { violates } from "../../core/http/validation"

export const ReadStats = z.object({
  hours: z
    .string()
    .max(9)
    .refine((value) => /^\d+$/.test(value), { ...violates("integer"), abort: true })
    .transform(Number)
    .pipe(z.number().min(1).max(720))
    .default(24),
})

const count = z.int()

const percentiles = z.object({ p50: count.nullable(), p95: count.nullable(), p99: count.nullable() })

export const StatsResource = z
  .object({
    attempts: count,
    delivered: count,
    failed: count,
    statuses: z.object({ "2xx": count, "3xx": count, "4xx": count, "5xx": count, none: count }),
    latency_ms: percentiles,
    delivery_latency_ms: percentiles,
    backlog: count,
    oldest_due_at: z.string().nullable(),
    buckets: z.array(z.object({ hour: z.string(), attempts: count, delivered: count, failed: count })),
  })
  .meta({ id: "WebhookStats" })
