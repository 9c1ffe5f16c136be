// Documents the API fields of webhook deliveries.
import { documentFields } from "../../core/http/field-docs"
import { AttemptResource, DeliveryResource, ListDeliveries, ReadDelivery } from "./schemas"

const include = { description: "Set to `payload` to include the event's payload." }
const error = {
  description:
    "`http_<status>`, `timeout`, `unsafe_host`, `dns_unavailable`, `endpoint_disabled`, or the class and message of an error.",
  example: null,
}

const errorHint = {
  description: "What the error means and what to do about it, in the language of `Accept-Language`.",
  example: null,
}

documentFields(ListDeliveries, {
  status: { description: "Only deliveries with this status." },
  event: { description: "Only deliveries of this event type.", example: "store.created" },
  include,
})

documentFields(ReadDelivery, { include })

documentFields(DeliveryResource, {
  endpoint_id: { description: "Id of the endpoint.", example: 1 },
  event_id: {
    description: "Id of the event, which is the same in every attempt.",
    example: "01K4YQZ0M8T3V6N9R2B5C7D1EF",
  },
  event: { description: "Event type.", example: "store.created" },
  tenant_id: { description: "Id of the store that the event is about; null for other events.", example: "acme" },
  attempt: { description: "Number of attempts so far.", example: 1 },
  status: {
    description: "`failed` deliveries are retried; `exhausted` ones are not.",
    example: "delivered",
  },
  response_status: { description: "HTTP status of the last response.", example: 200 },
  response_excerpt: { description: "First kilobyte of the last response's body.", example: "ok" },
  error: { ...error, description: `Error of the last attempt: ${error.description}` },
  error_hint: errorHint,
  next_attempt_at: { description: "When the delivery is retried; null if no attempt is scheduled.", example: null },
  waiting_for: {
    description:
      "Id of the delivery that this one waits for, because its endpoint is `ordered`; null if it does not wait.",
    example: null,
  },
  delivered_at: { description: "When the delivery succeeded." },
  payload: {
    description: "The event with its full payload; only on request, and after a retry.",
    omitFromExample: true,
  },
})

documentFields(AttemptResource, {
  number: { description: "Number of the attempt, from 1.", example: 1 },
  kind: { description: "`manual` attempts were requested by a person or an API client.", example: "first" },
  started_at: { description: "When the attempt started." },
  duration_ms: { description: "Duration in milliseconds.", example: 84 },
  response_status: { description: "HTTP status of the response; null without a response.", example: 200 },
  error,
  error_hint: errorHint,
  retry_after_seconds: {
    description: "The delay that the response requested with `Retry-After`, in seconds; null without one.",
    example: null,
  },
})
