// Documents the API fields of webhook endpoints.
import { documentFields, UPDATED_SINCE } from "../../core/http/field-docs"
import { CreateEndpoint, EndpointResource, ListEndpoints, RotateSecret, TestEndpoint, UpdateEndpoint } from "./schemas"

const url = { description: "HTTPS URL on a public host.", example: "https://hooks.example/tenancy" }
const events = {
  description: "Event types, wildcards such as `store.*`, or `*` for all current and future events.",
  example: ["store.*", "domain.verified"],
}
const description = { description: "Note for operators.", example: "Fulfilment" }
const stores = { description: "Ids of the stores whose events are sent; null for all.", example: ["acme"] }
const isActive = { description: "Whether an operator has enabled the endpoint." }

documentFields(CreateEndpoint, { url, events, description, stores })

documentFields(UpdateEndpoint, { url, events, description, stores, is_active: isActive })

documentFields(RotateSecret, {
  grace_seconds: {
    description: "Seconds during which deliveries are also signed with the old secret; 0 by default.",
    example: 3600,
  },
})

documentFields(TestEndpoint, {
  event: { description: "Event type whose example is sent; a ping by default." },
})

documentFields(EndpointResource, {
  url,
  events,
  description,
  stores,
  is_active: isActive,
  is_receiving: { description: "False while the endpoint is inactive or disabled after too many failures." },
  consecutive_failures: { description: "Failed attempts since the last success.", example: 0 },
  disabled_at: { description: "When the endpoint was disabled after too many failures.", example: null },
  last_success_at: { description: "When an attempt last succeeded." },
  last_failure_at: { description: "When an attempt last failed.", example: null },
  previous_secret_valid_until: {
    description: "Until when deliveries are also signed with the previous secret.",
    example: null,
  },
  recovery: { description: "The current or last recovery; null if there was none." },
  created_by_name: { description: "Operator or API key that created the endpoint.", example: "operator" },
})

documentFields(ListEndpoints, { updated_since: UPDATED_SINCE })
