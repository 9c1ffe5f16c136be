// Orders over HTTP.
import { Hono } from "hono"
import { paginated, single } from "../../../content/envelope"
import { appUser } from "../../../content/mount-apps"
import { beside, countAttempt } from "../../../content/rate-limits"
import { pagedOf, singleOf } from "../../../content/response-schemas"
import type { ContentEnv } from "../../../content/types"
import { clientIp } from "../../../core/http/http"
import { body, describe, query } from "../../../core/http/route"
import { ListedOrder, ListOrders, listedOrder, MoveOrder, OrderResource, orderResource, PlaceOrder } from "./schemas"
import { listOrders, moveOrder, placeOrder, readOrder } from "./service"

export const orders = new Hono<ContentEnv>()
  .get(
    "/orders",
    appUser,
    describe({
      id: "orders.list",
      summary: "List one's own orders; staff may list all",
      answers: { status: 200, body: pagedOf(ListedOrder) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    query(ListOrders),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listOrders(c.var.userCtx, input)
      return paginated(c, input, { rows: rows.map(listedOrder), total })
    },
  )
  .post(
    "/orders",
    appUser,
    describe({
      id: "orders.place",
      summary: "Place an order",
      answers: { status: 201, body: singleOf(OrderResource) },
      refuses: ["not_found", "unauthenticated", "limit_reached", "unpaid_orders", "rate_limited"],
    }),
    body(PlaceOrder),
    async (c) => {
      const { userCtx } = c.var
      const counted = countAttempt(userCtx, "app:orders", { ip: clientIp(c), account: userCtx.caller.token?.hash })
      const { order, items } = await beside(userCtx, counted, () => placeOrder(userCtx, c.req.valid("json")))
      return single(c, orderResource(order, items), { status: 201 })
    },
  )
  .get(
    "/orders/:id",
    appUser,
    describe({
      id: "orders.get",
      summary: "Read an order",
      answers: { status: 200, body: singleOf(OrderResource) },
      refuses: ["not_found", "unauthenticated"],
    }),
    async (c) => {
      const { order, items } = await readOrder(c.var.userCtx, c.req.param("id"))
      return single(c, orderResource(order, items))
    },
  )
  .put(
    "/orders/:id",
    appUser,
    describe({
      id: "orders.move",
      summary: "Move an order on (staff)",
      answers: { status: 200, body: singleOf(OrderResource) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    body(MoveOrder),
    async (c) => {
      const { order, items } = await moveOrder(c.var.userCtx, c.req.param("id"), c.req.valid("json"))
      return single(c, orderResource(order, items))
    },
  )
