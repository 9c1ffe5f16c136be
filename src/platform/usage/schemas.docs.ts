// Documents the API fields of usage.
import { documentFields } from "../../core/http/field-docs"
import { ReadUsage, StoreUsageResource, UsageResource } from "./schemas"

documentFields(ReadUsage, {
  refresh: { description: "Set to `true` to count now instead of returning the last count." },
})

documentFields(UsageResource, {
  period: { description: "Calendar month of monthly counts, as `YYYY-MM`.", example: "2026-09" },
  products: { description: "Products in the catalog.", example: 12 },
  orders: { description: "Orders in the period.", example: 3 },
  storage_bytes: { description: "Stored files, in bytes.", example: 5_242_880 },
  staff_users: { description: "Users with staff access.", example: 1 },
  collected_at: { description: "When the usage was counted." },
})

documentFields(StoreUsageResource, {
  store_id: { description: "Id of the store.", example: "acme" },
  period: { description: "Calendar month of monthly counts, as `YYYY-MM`.", example: "2026-09" },
  usage: { description: "The counts." },
  live: { description: "Whether the usage was counted for this response.", example: false },
})
