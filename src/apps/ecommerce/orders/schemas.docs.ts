// Documents the API fields of orders.
import { documentFields } from "../../../core/http/field-docs"
import { ListedOrder, ListOrders, OrderResource, PlacedOrder, PlaceOrder, UpdateOrder } from "./schemas"

const note = { description: "Note from the customer.", example: "Please leave it at the door." }
const status = { description: "Status of the order.", example: "paid" }

const tracking = {
  description: "What the customer needs to follow the parcel, such as its tracking number.",
  example: "DHL 00340434161094042557",
}
const staffNote = { description: "A note that only staff can read; null for customers.", example: "Gift wrap" }
const shippingMethod = { description: "`flat` to ship the order, `pickup` to collect it." }
const address = {
  description: "Where to ship the order.",
  example: {
    line1: "12 St James's Square",
    line2: null,
    city: "London",
    state: null,
    postal_code: "SW1Y 4JH",
    country: "GB",
  },
}

documentFields(PlaceOrder, {
  items: { description: "Products to buy, each once.", example: [{ product_id: 12, quantity: 1 }] },
  note,
  customer: {
    description: "Whom the order is for. Guests send `name` and `email`; users, what differs from their account.",
    example: { name: "Ada Lovelace", email: "ada@example.com", phone: "+44 20 7946 0018" },
  },
  shipping_address: address,
  payment_method: {
    description:
      "A method that the shop offers: it has instructions in the shop's settings. The only one is the default.",
    omitFromExample: true,
  },
  shipping_method: { ...shippingMethod, example: "flat" },
})

documentFields(UpdateOrder, { status, tracking, staff_note: staffNote })

documentFields(ListOrders, {
  scope: { description: "`own` for the user's orders, `all` for everyone's (staff only)." },
})

documentFields(ListedOrder, {
  number: {
    description:
      "Number of the order, from 1001 and without gaps in each store; null for orders from before orders had numbers.",
    example: "1001",
  },
  user_id: { description: "Id of the customer's account; null for a guest.", example: 42 },
  status,
  customer: {
    description: "Name, email address and phone number at the time of the order.",
    example: { name: "Ada Lovelace", email: "ada@example.com", phone: null },
  },
  shipping_address: address,
  currency: { description: "ISO 4217 currency code.", example: "EUR" },
  items_cents: { description: "Sum of the items in the currency's smallest unit.", example: 12_900 },
  shipping_cents: { description: "Price of shipping.", example: 490 },
  tax_cents: {
    description: "Tax on items and shipping. Where the shop's prices include the tax, it is part of them.",
    example: 2138,
  },
  total_cents: { description: "Total in the currency's smallest unit.", example: 13_390 },
  payment_method: { description: "How the customer pays.", example: "transfer" },
  shipping_method: { ...shippingMethod, example: "flat" },
  tracking: { ...tracking, example: null },
  note,
  staff_note: { ...staffNote, example: null },
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

documentFields(
  PlacedOrder,
  {
    key: {
      description:
        "Secret key of the order's page, `/orders/{number}?key=…` on the store's host, shown in this response only; null if it is a repeated one and the key is no longer known.",
      example: "5f0c1b7a9d3e4f60718293a4b5c6d7e8f9012345",
    },
  },
  OrderResource,
)
