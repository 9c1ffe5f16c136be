// Routes of a store's webhook endpoints, for its staff and servers: the paths and shapes of the control plane.
import * as z from "zod"
import { pageMeta } from "../../core/http/pagination"
import { readPrecondition } from "../../core/http/precondition"
import { one, paged } from "../../core/http/response-schemas"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { rowId } from "../../core/http/row-id"
import { DeliveryResource, deliveryResource, ListDeliveries } from "../../webhooks/deliveries/schemas"
import { endpointTag } from "../../webhooks/endpoints/list"
import {
  CreateStoreEndpoint,
  EndpointResource,
  endpointResource,
  ListStoreEndpoints,
  RotateSecret,
  TestEndpoint,
  UpdateStoreEndpoint,
} from "../../webhooks/endpoints/schemas"
import { EventResource } from "../../webhooks/events/schemas"
import { editor } from "../editor"
import type { ContentEnv } from "../types"
import {
  createOwnEndpoint,
  listOwnDeliveries,
  listOwnEndpoints,
  readOwnEndpoint,
  readOwnEvent,
  removeOwnEndpoint,
  retryOwnDelivery,
  rotateOwnSecret,
  testOwnEndpoint,
  updateOwnEndpoint,
} from "./service"

/** Pages are the control plane's, which differ from those of other lists of this API. */
const PageMeta = paged(z.unknown()).shape.meta.meta({ id: "WebhooksPageMeta" })

const page = <Schema extends z.ZodType>(schema: Schema) => z.object({ data: z.array(schema), meta: PageMeta })

const endpoint = { status: 200, body: one(EndpointResource) } as const

export const webhooks = createRouter<ContentEnv>()
  .get(
    "/webhooks",
    describe({
      id: "storeWebhooks.list",
      summary: "List webhook endpoints",
      responses: { status: 200, body: page(EndpointResource) },
      refuses: ["not_found"],
    }),
    editor,
    query(ListStoreEndpoints),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listOwnEndpoints(c.var.editorCtx, input)
      return c.json({ data: rows.map(endpointResource), meta: pageMeta(input, total) })
    },
  )
  .post(
    "/webhooks",
    describe({
      id: "storeWebhooks.create",
      summary: "Create a webhook endpoint",
      responses: {
        status: 201,
        body: one(EndpointResource.pick({ id: true, url: true })).extend({ secret: z.string() }),
      },
      refuses: ["not_found", ["limit_reached", 409], "rate_limited"],
    }),
    editor,
    body(CreateStoreEndpoint),
    async (c) => {
      const created = await createOwnEndpoint(c.var.editorCtx, c.req.valid("json"))
      const { id, url } = created.endpoint
      return c.json({ data: { id, url }, secret: created.secret }, 201)
    },
  )
  .get(
    "/webhooks/:id",
    describe({
      id: "storeWebhooks.get",
      summary: "Retrieve a webhook endpoint",
      responses: endpoint,
      refuses: ["not_found"],
      versioned: true,
    }),
    editor,
    async (c) => {
      const row = await readOwnEndpoint(c.var.editorCtx, rowId(c.req.param("id")))
      return c.json({ data: endpointResource(row) }, 200, { ETag: endpointTag(row) })
    },
  )
  .patch(
    "/webhooks/:id",
    describe({
      id: "storeWebhooks.update",
      summary: "Update a webhook endpoint",
      responses: endpoint,
      refuses: ["not_found", "precondition_failed", "rate_limited"],
      versioned: true,
    }),
    editor,
    body(UpdateStoreEndpoint),
    async (c) => {
      const id = rowId(c.req.param("id"))
      const row = await updateOwnEndpoint(c.var.editorCtx, id, c.req.valid("json"), readPrecondition(c))
      return c.json({ data: endpointResource(row) }, 200, { ETag: endpointTag(row) })
    },
  )
  .delete(
    "/webhooks/:id",
    describe({
      id: "storeWebhooks.delete",
      summary: "Delete a webhook endpoint",
      responses: { status: 204 },
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    async (c) => {
      await removeOwnEndpoint(c.var.editorCtx, rowId(c.req.param("id")), readPrecondition(c))
      return c.body(null, 204)
    },
  )
  .post(
    "/webhooks/:id/rotate-secret",
    describe({
      id: "storeWebhooks.rotateSecret",
      summary: "Rotate a signing secret",
      responses: { status: 200, body: one(z.object({ id: z.int(), secret: z.string() })) },
      refuses: ["not_found", "illegal_transition"],
    }),
    editor,
    body(RotateSecret),
    async (c) => {
      const id = rowId(c.req.param("id"))
      const grace = c.req.valid("json").grace_seconds ?? 0
      return c.json({ data: { id, secret: await rotateOwnSecret(c.var.editorCtx, id, grace) } })
    },
  )
  .post(
    "/webhooks/:id/test",
    describe({
      id: "storeWebhooks.test",
      summary: "Send a test event",
      responses: { status: 202, body: one(DeliveryResource) },
      refuses: ["not_found", "rate_limited"],
    }),
    editor,
    body(TestEndpoint),
    async (c) => {
      const ctx = c.var.editorCtx
      const delivery = await testOwnEndpoint(ctx, rowId(c.req.param("id")), c.req.valid("json").event)
      return c.json({ data: deliveryResource(delivery, ctx.locale) }, 202)
    },
  )
  .get(
    "/webhooks/:id/deliveries",
    describe({
      id: "storeWebhooks.listDeliveries",
      summary: "List an endpoint's deliveries",
      responses: { status: 200, body: page(DeliveryResource) },
      refuses: ["not_found"],
    }),
    editor,
    query(ListDeliveries),
    async (c) => {
      const ctx = c.var.editorCtx
      const input = c.req.valid("query")
      const { rows, total } = await listOwnDeliveries(ctx, rowId(c.req.param("id")), input)
      const data = rows.map(({ delivery, payload }) => deliveryResource(delivery, ctx.locale, payload))
      return c.json({ data, meta: pageMeta(input, total) })
    },
  )
  .post(
    "/webhooks/deliveries/:id/retry",
    describe({
      id: "storeWebhooks.retryDelivery",
      summary: "Retry a delivery",
      responses: { status: 200, body: one(DeliveryResource) },
      refuses: ["not_found", "delivery_not_retryable", "rate_limited"],
    }),
    editor,
    async (c) => {
      const ctx = c.var.editorCtx
      const { delivery, payload } = await retryOwnDelivery(ctx, rowId(c.req.param("id")))
      return c.json({ data: deliveryResource(delivery, ctx.locale, payload) })
    },
  )
  .get(
    "/webhooks/events/:id",
    describe({
      id: "storeWebhooks.getEvent",
      summary: "Retrieve an event",
      responses: { status: 200, body: one(EventResource) },
      refuses: ["not_found"],
    }),
    editor,
    async (c) => {
      const payload = await readOwnEvent(c.var.editorCtx, c.req.param("id"))
      return c.body(`{"data":${payload}}`, 200, { "Content-Type": "application/json" })
    },
  )
