// Routes of webhook endpoints.
import type { Context } from "hono"
import * as z from "zod"
import { pageMeta } from "../../core/http/pagination"
import type { PlatformEnv } from "../../core/http/platform-env"
import { readPrecondition } from "../../core/http/precondition"
import { one, paged } from "../../core/http/response-schemas"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { rowId } from "../../core/http/row-id"
import { acceptedLocale } from "../../core/i18n/locale"
import { DeliveryResource, deliveryResource } from "../deliveries/schemas"
import { RecoverEndpoint } from "../recovery/schemas"
import { recoverEndpoint } from "../recovery/service"
import { ReadStats, StatsResource } from "../stats/schemas"
import { readStats } from "../stats/service"
import { type EndpointWithLastSuccess, endpointTag, listEndpoints, readEndpoint } from "./list"
import {
  CreateEndpoint,
  EndpointResource,
  endpointResource,
  ListEndpoints,
  RotateSecret,
  TestEndpoint,
  UpdateEndpoint,
} from "./schemas"
import { createEndpoint, removeEndpoint, rotateSecret, testEndpoint, updateEndpoint } from "./service"

const endpoint = { status: 200, body: one(EndpointResource) } as const

const respond = (c: Context<PlatformEnv>, row: EndpointWithLastSuccess) =>
  c.json({ data: endpointResource(row) }, 200, { ETag: endpointTag(row) })

export const endpoints = createRouter<PlatformEnv>()
  .get(
    "/webhooks",
    describe({
      id: "webhooks.list",
      summary: "List webhook endpoints",
      responses: { status: 200, body: paged(EndpointResource) },
    }),
    query(ListEndpoints),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listEndpoints(c.var.ctx, input)
      return c.json({ data: rows.map(endpointResource), meta: pageMeta(input, total) })
    },
  )
  .post(
    "/webhooks",
    describe({
      id: "webhooks.create",
      summary: "Create a webhook endpoint",
      responses: {
        status: 201,
        body: one(EndpointResource.pick({ id: true, url: true })).extend({ secret: z.string() }),
      },
    }),
    body(CreateEndpoint),
    async (c) => {
      const created = await createEndpoint(c.var.ctx, c.req.valid("json"))
      const { id, url } = created.endpoint
      return c.json({ data: { id, url }, secret: created.secret }, 201)
    },
  )
  .get(
    "/webhooks/:id",
    describe({
      id: "webhooks.get",
      summary: "Retrieve a webhook endpoint",
      responses: endpoint,
      refuses: ["not_found"],
      versioned: true,
    }),
    async (c) => respond(c, await readEndpoint(c.var.ctx, rowId(c.req.param("id")))),
  )
  .patch(
    "/webhooks/:id",
    describe({
      id: "webhooks.update",
      summary: "Update a webhook endpoint",
      responses: endpoint,
      refuses: ["not_found"],
      versioned: true,
    }),
    body(UpdateEndpoint),
    async (c) => {
      const id = rowId(c.req.param("id"))
      return respond(c, await updateEndpoint(c.var.ctx, id, c.req.valid("json"), { precondition: readPrecondition(c) }))
    },
  )
  .delete(
    "/webhooks/:id",
    describe({
      id: "webhooks.delete",
      summary: "Delete a webhook endpoint",
      responses: { status: 204 },
      refuses: ["not_found"],
      versioned: true,
    }),
    async (c) => {
      await removeEndpoint(c.var.ctx, rowId(c.req.param("id")), readPrecondition(c))
      return c.body(null, 204)
    },
  )
  .post(
    "/webhooks/:id/rotate-secret",
    describe({
      id: "webhooks.rotateSecret",
      summary: "Rotate a signing secret",
      responses: { status: 200, body: one(z.object({ id: z.int(), secret: z.string() })) },
      refuses: ["not_found", "illegal_transition"],
    }),
    body(RotateSecret),
    async (c) => {
      const id = rowId(c.req.param("id"))
      const grace = c.req.valid("json").grace_seconds ?? 0
      return c.json({ data: { id, secret: await rotateSecret(c.var.ctx, id, grace) } })
    },
  )
  .post(
    "/webhooks/:id/test",
    describe({
      id: "webhooks.test",
      summary: "Send a test event",
      responses: { status: 202, body: one(DeliveryResource) },
      refuses: ["not_found"],
    }),
    body(TestEndpoint),
    async (c) => {
      const delivery = await testEndpoint(c.var.ctx, rowId(c.req.param("id")), c.req.valid("json").event)
      return c.json({ data: deliveryResource(delivery, acceptedLocale(c.req.header("Accept-Language"))) }, 202)
    },
  )
  .get(
    "/webhooks/:id/stats",
    describe({
      id: "webhooks.stats",
      summary: "Retrieve an endpoint's statistics",
      responses: { status: 200, body: one(StatsResource) },
      refuses: ["not_found"],
    }),
    query(ReadStats),
    async (c) => {
      const { hours } = c.req.valid("query")
      return c.json({ data: await readStats(c.var.ctx, rowId(c.req.param("id")), hours) })
    },
  )
  .post(
    "/webhooks/:id/recover",
    describe({
      id: "webhooks.recover",
      summary: "Recover failed or missed events",
      responses: { status: 202, body: one(z.object({ queued: z.int() })) },
      refuses: ["not_found", "recovery_running"],
    }),
    body(RecoverEndpoint),
    async (c) => {
      const queued = await recoverEndpoint(c.var.ctx, rowId(c.req.param("id")), c.req.valid("json"))
      return c.json({ data: { queued } }, 202)
    },
  )
