// The events about bank-transfer orders.
import { OrderResource } from "../../../src/platform/orders/schemas.ts"
import { documentEvent, EventSubscription, storeEvent } from "./event.ts"
import { sparse } from "./sparse.ts"

const EventOrder = sparse(OrderResource).meta({ id: "EventOrder" })

documentEvent(EventOrder, {
  reason: { description: "Why the order was rejected.", omitFromExample: true },
  number: { description: "Receipt number; absent until the order is paid.", omitFromExample: true },
  paid_at: { description: "When the payment was confirmed.", omitFromExample: true },
})

const order = { order: EventOrder }

export const orderEvents = {
  "order.requested": storeEvent("order.requested", "A store ordered a plan by bank transfer.", order),
  "order.paid": storeEvent("order.paid", "An operator confirmed the payment of an order.", {
    ...order,
    subscription: EventSubscription,
  }),
  "order.rejected": storeEvent("order.rejected", "An operator rejected an order.", order),
}
