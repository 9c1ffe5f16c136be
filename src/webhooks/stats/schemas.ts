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

export const StatsResource = z
  .object({
    attempts: count,
    delivered: count,
    failed: count,
    statuses: z.object({ "2xx": count, "3xx": count, "4xx": count, "5xx": count, none: count }),
    latency_ms: z.object({ p50: count.nullable(), p95: count.nullable(), p99: count.nullable() }),
    buckets: z.array(z.object({ hour: z.string(), attempts: count, delivered: count, failed: count })),
  })
  .meta({ id: "WebhookStats" })
