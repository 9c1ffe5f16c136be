// Webhook deliveries over HTTP.
import { Hono } from "hono"
import { paged } from "../../core/answers"
import { pageMeta } from "../../core/page"
import { describe, query } from "../../core/route"
import { rowId } from "../../core/row-id"
import type { PlatformEnv } from "../../platform/types"
import { DeliveryResource, deliveryResource, ListDeliveries } from "./schemas"
import { listDeliveries } from "./service"

export const deliveries = new Hono<PlatformEnv>().get(
  "/webhooks/:id/deliveries",
  describe({
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
