// Documents the API fields of webhook endpoints.
import { documentFields, redocumentFields, UPDATED_SINCE } from "../../core/http/field-docs"
import { FILTER_CONDITIONS } from "./filter"
import {
  CreateEndpoint,
  EndpointResource,
  FilterResource,
  ListEndpoints,
  ListStoreEndpoints,
  RotateSecret,
  TestEndpoint,
  UpdateEndpoint,
} from "./schemas"

const url = { description: "HTTPS URL on a public host.", example: "https://hooks.example/tenancy" }
const events = {
  description:
    "Event types, wildcards such as `store.*`, or `*` for all current and future events except `endpoint.*` and `delivery.*`.",
  example: ["store.*", "domain.verified"],
}
const description = { description: "Note for operators.", example: "Fulfilment" }
const stores = { description: "Ids of the stores whose events are sent; null for all.", example: ["acme"] }
const filter = {
  description: "Conditions on the payload, all of which an event has to meet; at most 10, null for none.",
  example: [{ path: "data.store.theme", op: "eq", value: "atelier" }],
}
const payload = { description: "`full`, or `thin` for the ids of the event's resources only.", example: "full" }
const headers = {
  description: "Additional request headers, at most 10; null for none. Responses show masked values.",
  example: { Authorization: "Bearer 4f1c9a" },
}
const maxPerSecond = {
  description: "Attempts per second, at most; the others wait. Null for no limit.",
  example: null,
}
const ordered = {
  description: "Whether the events of each store are delivered one after another, in commit order.",
  example: false,
}
const reconcile = {
  description: "Whether events are sent again that the receiver lacks according to its `webhook-cursor` header.",
  example: false,
}
const isActive = { description: "Whether an operator has enabled the endpoint." }

documentFields(CreateEndpoint, {
  url,
  events,
  description,
  stores,
  filter,
  payload,
  headers,
  max_per_second: maxPerSecond,
  ordered,
  reconcile,
})

documentFields(UpdateEndpoint, {
  url: {
    ...url,
    description:
      "HTTPS URL on a public host. Another host removes the additional headers, unless the request sets them.",
  },
  events,
  description,
  stores,
  filter,
  payload,
  headers,
  max_per_second: maxPerSecond,
  ordered,
  reconcile,
  is_active: isActive,
})

for (const condition of FILTER_CONDITIONS) {
  redocumentFields(condition, {
    path: {
      description: "Keys of the payload, joined by dots; `changed` also takes the name of a changed field.",
      example: "data.store.theme",
    },
    op: { description: "How the value at the path is compared." },
    value: { description: "What it is compared with; absent for `exists` and `changed`.", example: "atelier" },
  })
}

documentFields(FilterResource, {
  path: { description: "Keys of the payload, joined by dots.", example: "data.store.theme" },
  op: { description: "How the value at the path is compared.", example: "eq" },
  value: { description: "What it is compared with.", example: "atelier" },
})

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
  store_id: {
    description: "The store whose staff created the endpoint; null for the platform's own endpoints.",
    example: null,
  },
  url,
  events,
  description,
  stores,
  filter,
  payload,
  headers: { ...headers, example: { Authorization: "********" } },
  max_per_second: maxPerSecond,
  ordered,
  reconcile,
  is_active: isActive,
  receiver_cursor: {
    description: "The cursor that the receiver last reported with its `webhook-cursor` header; null if it never did.",
    example: null,
  },
  behind_since: {
    description: "Since when the receiver lacks events that were delivered more than 10 minutes ago; null otherwise.",
    example: null,
  },
  is_receiving: { description: "False while the endpoint is inactive or disabled." },
  consecutive_failures: { description: "Failed attempts since the last success.", example: 0 },
  disabled_at: { description: "When the endpoint was disabled automatically.", example: null },
  disabled_reason: {
    description: "Why it was disabled: `failures` after too many of them in a row, or `gone`.",
    example: null,
  },
  last_success_at: { description: "When an attempt last succeeded." },
  last_failure_at: { description: "When an attempt last failed.", example: null },
  previous_secret_valid_until: {
    description: "Until when deliveries are also signed with the previous secret.",
    example: null,
  },
  recovery: { description: "The current or last recovery; null if there was none." },
  created_by_name: {
    description: "Operator, API key or member of a store's staff that created the endpoint.",
    example: "operator",
  },
})

documentFields(ListStoreEndpoints, { updated_since: UPDATED_SINCE })

documentFields(
  ListEndpoints,
  { store_id: { description: "Only endpoints that the staff of this store created.", example: "acme" } },
  ListStoreEndpoints,
)
