// Documents the API fields of the audit log.
import { documentFields } from "../../core/http/field-docs"
import { AuditEntryResource } from "./schemas"

documentFields(AuditEntryResource, {
  type: { description: "What happened, such as `plan_changed`.", example: "plan_changed" },
  from_status: { description: "Status before the change.", example: "active" },
  to_status: { description: "Status after the change.", example: "active" },
  data: { description: "Details, which depend on the type.", example: { plan: "growth", from_plan: "starter" } },
  actor: {
    description: "Who made the change: an API key, an operator, the store's customer or the system.",
    example: { type: "api_key", id: 7, name: "Fulfilment" },
  },
})
