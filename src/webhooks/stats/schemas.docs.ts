// Documents the API fields of delivery statistics.
import { documentFields } from "../../core/http/field-docs"
import { ReadStats, StatsResource } from "./schemas"

const attempts = { description: "Attempts in the period." }
const delivered = { description: "Attempts that succeeded." }
const failed = { description: "Attempts that failed." }

documentFields(ReadStats, { hours: { description: "Number of hours, including the current one." } })

documentFields(StatsResource, {
  attempts,
  delivered,
  failed,
  statuses: { description: "Attempts by class of the response's status; `none` counts attempts without a response." },
  latency_ms: { description: "Percentiles of the response time in milliseconds; null without attempts." },
  delivery_latency_ms: {
    description:
      "Percentiles of the time from the event to its delivery, with waiting and retries, but without manual retries and recoveries; null without deliveries.",
  },
  backlog: { description: "Deliveries that are pending, or failed and will be retried.", example: 0 },
  oldest_due_at: {
    description: "When the delivery that waits longest should have been attempted; null if none is due.",
    example: null,
  },
  buckets: { description: "One entry per hour, oldest first." },
})

documentFields(StatsResource.shape.buckets.element, {
  hour: { description: "Start of the hour.", example: "2026-09-02T10:00:00+00:00" },
  attempts,
  delivered,
  failed,
})
