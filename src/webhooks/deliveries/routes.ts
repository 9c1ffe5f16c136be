// Routes of webhook deliveries.
import type { Context } from "hono"
import { pageMeta } from "../../core/http/pagination"
import type { PlatformEnv } from "../../core/http/platform-env"
import { list, one, paged } from "../../core/http/response-schemas"
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { rowId } from "../../core/http/row-id"
import { acceptedLocale } from "../../core/i18n/locale"
import {
  AttemptResource,
  attemptResource,
  DeliveryResource,
  deliveryResource,
  ListDeliveries,
  ReadDelivery,
} from "./schemas"
import { listAttempts, listDeliveries, readDelivery, retryDelivery } from "./service"

/** The language of hints. */
const localeOf = (c: Context) => acceptedLocale(c.req.header("Accept-Language"))

export const deliveries = createRouter<PlatformEnv>()
  .get(
    "/webhooks/:id/deliveries",
    describe({
      id: "deliveries.list",
      summary: "List an endpoint's deliveries",
      responses: { status: 200, body: paged(DeliveryResource) },
      refuses: ["not_found"],
    }),
    query(ListDeliveries),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listDeliveries(c.var.ctx, rowId(c.req.param("id")), input)
      const data = rows.map(({ delivery, payload }) => deliveryResource(delivery, localeOf(c), payload))
      return c.json({ data, meta: pageMeta(input, total) })
    },
  )
  .get(
    "/webhooks/deliveries/:id",
    describe({
      id: "deliveries.get",
      summary: "Retrieve a delivery",
      responses: { status: 200, body: one(DeliveryResource) },
      refuses: ["not_found"],
    }),
    query(ReadDelivery),
    async (c) => {
      const { delivery, payload } = await readDelivery(c.var.ctx, rowId(c.req.param("id")), c.req.valid("query"))
      return c.json({ data: deliveryResource(delivery, localeOf(c), payload) })
    },
  )
  .get(
    "/webhooks/deliveries/:id/attempts",
    describe({
      id: "deliveries.attempts",
      summary: "List a delivery's attempts",
      responses: { status: 200, body: list(AttemptResource) },
      refuses: ["not_found"],
    }),
    async (c) => {
      const attempts = await listAttempts(c.var.ctx, rowId(c.req.param("id")))
      return c.json({
        data: attempts.map((attempt) => attemptResource(attempt, localeOf(c))),
        meta: { total: attempts.length },
      })
    },
  )
  .post(
    "/webhooks/deliveries/:id/retry",
    describe({
      id: "deliveries.retry",
      summary: "Retry a delivery",
      responses: { status: 200, body: one(DeliveryResource) },
      refuses: ["not_found", "delivery_not_retryable"],
    }),
    async (c) => {
      const { delivery, payload } = await retryDelivery(c.var.ctx, rowId(c.req.param("id")))
      return c.json({ data: deliveryResource(delivery, localeOf(c), payload) })
    },
  )
