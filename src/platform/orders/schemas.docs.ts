// Documents the API fields of bank-transfer orders.
import { documentFields } from "../../core/http/field-docs"
import { OrderResource, RequestOrder } from "./schemas"

documentFields(RequestOrder, {
  plan: { description: "Slug of an active plan.", example: "starter" },
  note: { description: "Note to the platform's operator.", example: "Invoice to the head office, please." },
  start: {
    description:
      "When another plan begins while a period is paid: `now`, for the difference, or `next_period`. By default now if there is a difference to pay.",
    example: "next_period",
  },
})

documentFields(OrderResource, {
  reference: { description: "Reference that the customer puts on the transfer.", example: "PO-000123" },
  status: { description: "`pending` until an operator confirms or rejects the payment.", example: "pending" },
  plan: { description: "Slug of the ordered plan.", example: "starter" },
  amount_cents: { description: "Amount due in the currency's smallest unit.", example: 1900 },
  currency: { description: "ISO 4217 currency code.", example: "EUR" },
  note: { description: "Note from the customer.", example: "Invoice to the head office, please." },
  reason: { description: "Why the order was rejected.", example: null },
  number: { description: "Receipt number; null until the order is paid.", example: null },
  paid_at: { description: "When the payment was confirmed.", example: null },
})
