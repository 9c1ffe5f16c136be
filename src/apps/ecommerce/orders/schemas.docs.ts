// Documents the API fields of orders.
import { documentFields } from "../../../core/http/field-docs"
import { ListedOrder, ListOrders, OrderResource, PlaceOrder, UpdateOrderStatus } from "./schemas"

const note = { description: "Note from the customer.", example: "Please leave it at the door." }
const status = { description: "Status of the order.", example: "paid" }

documentFields(PlaceOrder, {
  items: { description: "Products to buy, each once.", example: [{ product_id: 12, quantity: 1 }] },
  note,
})

documentFields(UpdateOrderStatus, { status })

documentFields(ListOrders, {
  scope: { description: "`own` for the user's orders, `all` for everyone's (staff only)." },
})

documentFields(ListedOrder, {
  user_id: { description: "Id of the customer.", example: 42 },
  status,
  currency: { description: "ISO 4217 currency code.", example: "EUR" },
  total_cents: { description: "Total in the currency's smallest unit.", example: 12_900 },
  note,
})

documentFields(
  OrderResource,
  {
    items: {
      description: "Ordered products, with the names and prices at the time of the order.",
      example: [{ product_id: 12, name: "Rain coat", price_cents: 12_900, quantity: 1, total_cents: 12_900 }],
    },
  },
  ListedOrder,
)
