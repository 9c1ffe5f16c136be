// HTTP routes of orders.
import { sendData, sendPage } from "../../../content/envelope"
import { appGuest, appUser } from "../../../content/mount-apps"
import { countAttempt, inParallelWithRateLimit } from "../../../content/rate-limits"
import { dataEnvelope, pageEnvelope } from "../../../content/response-schemas"
import type { ContentEnv } from "../../../content/types"
import { clientAddress } from "../../../core/http/http"
import { body, describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { placeOrder } from "./place"
import {
  ListedOrder,
  ListOrders,
  listedOrder,
  OrderResource,
  orderResource,
  PlacedOrder,
  PlaceOrder,
  UpdateOrder,
} from "./schemas"
import { listOrders, readOrder, updateOrder } from "./service"

export const orders = createRouter<ContentEnv>()
  .get(
    "/orders",
    describe({
      id: "orders.list",
      summary: "List orders",
      responses: { status: 200, body: pageEnvelope(ListedOrder) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    query(ListOrders),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listOrders(c.var.userCtx, input)
      return sendPage(c, input, { rows: rows.map(listedOrder), total })
    },
  )
  .post(
    "/orders",
    describe({
      id: "orders.place",
      summary: "Place an order",
      responses: { status: 201, body: dataEnvelope(PlacedOrder) },
      refuses: [
        "not_found",
        "unauthenticated",
        "limit_reached",
        "unpaid_orders",
        "rate_limited",
        "idempotency_mismatch",
      ],
    }),
    appGuest,
    body(PlaceOrder),
    async (c) => {
      const { userCtx } = c.var
      const input = c.req.valid("json")
      // Without valid items there is nothing to look up, so the request does not count as an attempt.
      input.require("items")
      const counted = countAttempt(userCtx, "app:orders", { ip: clientAddress(c), account: userCtx.caller.token?.hash })
      const { order, items, key } = await inParallelWithRateLimit(userCtx, counted, () =>
        placeOrder(userCtx, input, c.req.header("Idempotency-Key")),
      )
      return sendData(c, { ...orderResource(order, items), key }, { status: 201 })
    },
  )
  .get(
    "/orders/:id",
    describe({
      id: "orders.get",
      summary: "Retrieve an order",
      responses: { status: 200, body: dataEnvelope(OrderResource) },
      refuses: ["not_found", "unauthenticated"],
    }),
    appUser,
    async (c) => {
      const { order, items } = await readOrder(c.var.userCtx, c.req.param("id"))
      return sendData(c, orderResource(order, items))
    },
  )
  .put(
    "/orders/:id",
    describe({
      id: "orders.move",
      summary: "Update an order",
      responses: { status: 200, body: dataEnvelope(OrderResource) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    body(UpdateOrder),
    async (c) => {
      const { order, items } = await updateOrder(c.var.userCtx, c.req.param("id"), c.req.valid("json"))
      return sendData(c, orderResource(order, items))
    },
  )
