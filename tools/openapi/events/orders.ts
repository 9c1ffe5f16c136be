// order.*: bank transfers.
import { OrderResource } from "../../../src/platform/orders/schemas.ts"
import { aboutStore, EventSubscription } from "./event.ts"
import { sparse } from "./sparse.ts"

const order = { order: sparse(OrderResource).meta({ id: "EventOrder" }) }

export const orderEvents = {
  "order.requested": aboutStore("order.requested", "A bank transfer was requested.", order),
  "order.paid": aboutStore("order.paid", "A bank transfer came in and was approved.", {
    ...order,
    subscription: EventSubscription,
  }),
  "order.rejected": aboutStore("order.rejected", "A bank transfer was rejected.", order),
}
