// The events about endpoints and their deliveries. `*` does not include them, and no endpoint receives those about
// itself.
import * as z from "zod"
import { DeliveryResource } from "../../../src/webhooks/deliveries/schemas.ts"
import { EndpointResource } from "../../../src/webhooks/endpoints/schemas.ts"
import { buildPayload, documentEvent, type EventDoc } from "./event.ts"
import { sparse } from "./sparse.ts"

const EventEndpoint = sparse(EndpointResource).meta({ id: "EventEndpoint" })

documentEvent(EventEndpoint, {
  consecutive_failures: { description: "Failed attempts since the last success.", example: 13 },
  last_success_at: { description: "When an attempt last succeeded, if the event is about a success." },
})

const EventDelivery = sparse(DeliveryResource.omit({ payload: true })).meta({ id: "EventDelivery" })

documentEvent(EventDelivery, {
  status: { description: "`exhausted`.", example: "exhausted" },
  attempt: { description: "Number of attempts.", example: 6 },
})

const endpointEvent = (type: string, summary: string, more: z.ZodRawShape = {}): EventDoc => {
  const data = { endpoint: EventEndpoint, ...more }
  const payloadSchema = buildPayload(type, data)
  documentEvent(payloadSchema.shape.data, {
    ...("failures" in more && {
      failures: { description: "Failures in a row at this point.", example: 13 },
      disabled_after: { description: "Failures in a row that disable the endpoint.", example: 25 },
    }),
  })
  if ("after" in more)
    documentEvent(payloadSchema.shape.data, {
      after: { description: "Cursor of the feed after which the receiver lacks events.", example: "ev1_2s" },
    })
  return { summary, payloadSchema }
}

const failing = { failures: z.int(), disabled_after: z.int() }

export const endpointEvents = {
  "endpoint.failing": endpointEvent(
    "endpoint.failing",
    "Half, and later four fifths, of the failures in a row that disable an endpoint were counted.",
    failing,
  ),
  "endpoint.disabled": endpointEvent(
    "endpoint.disabled",
    "An endpoint was disabled by failures, or by a response with status 410.",
  ),
  "endpoint.recovered": endpointEvent(
    "endpoint.recovered",
    "An endpoint that was failing or disabled received an event again.",
  ),
  "endpoint.behind": endpointEvent(
    "endpoint.behind",
    "The receiver reported a cursor, but lacks events after it that were delivered more than 10 minutes ago.",
    { after: z.string() },
  ),
  "delivery.exhausted": endpointEvent(
    "delivery.exhausted",
    "The last scheduled attempt of a delivery failed, or its receiver responded with status 410.",
    { delivery: EventDelivery },
  ),
}
