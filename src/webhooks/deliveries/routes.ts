// Webhook deliveries over HTTP.
import { Hono } from "hono"
import { one, paged } from "../../core/answers"
import { pageMeta } from "../../core/page"
import { describe, query } from "../../core/route"
import { rowId } from "../../core/row-id"
import type { PlatformEnv } from "../../platform/types"
import { DeliveryResource, deliveryResource, ListDeliveries } from "./schemas"
import { listDeliveries, retryDelivery } from "./service"

export const deliveries = new Hono<PlatformEnv>()
  .get(
    "/webhooks/:id/deliveries",
    describe({
      id: "deliveries.list",
      summary: "List an endpoint's deliveries, the newest first",
      answers: { status: 200, body: paged(DeliveryResource) },
      refuses: ["not_found"],
    }),
    query(ListDeliveries),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listDeliveries(c.var.ctx, rowId(c.req.param("id")), input)
      const data = rows.map(({ delivery, payload }) => deliveryResource(delivery, payload))
      return c.json({ data, meta: pageMeta(input, total) })
    },
  )
  .post(
    "/webhooks/deliveries/:id/retry",
    describe({
      id: "deliveries.retry",
      summary: "Make one attempt of a delivery now; the answer shows how it went",
      answers: { status: 200, body: one(DeliveryResource) },
      refuses: ["not_found", "delivery_not_retryable"],
    }),
    async (c) => {
      const { delivery, payload } = await retryDelivery(c.var.ctx, rowId(c.req.param("id")))
      return c.json({ data: deliveryResource(delivery, payload) })
    },
  )
