// Texts of the e-commerce app for the API reference.
import type { AppDocs } from "../definition"
import "./customers/schemas.docs"
import "./orders/schemas.docs"
import "./products/schemas.docs"

export const docs: AppDocs = {
  operations: {
    "products.list": "Lists products without their descriptions. Drafts require staff access.",
    "products.create": "Creates a product. Refused with 403 if the plan's products are used up. Requires staff access.",
    "products.get": "Returns a product by id or slug. Drafts require staff access.",
    "products.update": "Changes the fields in the body. Requires staff access.",
    "products.delete": "Deletes a product and its reviews. Orders retain its name and price. Requires staff access.",
    "customers.list": "Lists the accounts of customers, newest first. Guests have none. Requires staff access.",
    "customers.get": "Returns a customer with the latest orders and the sum of what was paid. Requires staff access.",
    "orders.list": "Lists the user's own orders, newest first. Staff can list all orders with `scope=all`.",
    "orders.place":
      "Places an order at the current prices, with the shipping and the tax of the shop's settings, and takes its products out of stock. The shop's setting `max_item_quantity` limits the quantity of each product. Mails the order to the customer and to the shop. Without a bearer token, it is the order of a guest, unless the shop's settings require an account; a guest sends `customer.name` and `customer.email`. Repeat a request with the same `Idempotency-Key` to get the order that the first one placed. An order that is not paid in time is cancelled: after 7 days for `transfer`, 30 days for `on_delivery`, and one day without a payment method.",
    "orders.get": "Returns one of the user's own orders; staff can read any order.",
    "orders.move":
      "Changes the status, the tracking or the staff's note: pending orders can be paid or cancelled, paid ones fulfilled or cancelled. Cancelling returns the products to stock. The customer gets an email when the order is sent or cancelled. Requires staff access.",
  },
  parameters: {
    "products :id": { description: "Id of the product; reading also accepts its slug.", example: "101" },
    "customers :id": { description: "Id of the customer.", example: "30" },
  },
  lookups: {
    "products.create": ["slug"],
    "products.update": ["slug"],
    "orders.place": [
      "items.*.product_id",
      "items.*.quantity",
      "customer",
      "customer.name",
      "customer.email",
      "payment_method",
      "shipping_method",
      "idempotency_key",
    ],
    "orders.move": ["status"],
  },
}
