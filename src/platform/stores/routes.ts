// Stores over HTTP.
import { Hono } from "hono"
import * as z from "zod"
import { one, paged } from "../../core/answers"
import { pageMeta } from "../../core/page"
import { body, describe, query } from "../../core/route"
import { publicUrl } from "../../env"
import type { PlatformEnv } from "../types"
import { createStore } from "./create"
import { removeStore } from "./remove"
import {
  accessState,
  CreateStore,
  DeleteStore,
  ListedStore,
  ListStores,
  listedStore,
  StoreResource,
  storeResource,
  UpdateStore,
} from "./schemas"
import { listStores, readStore, resumeStore, suspendStore } from "./service"
import { updateStore } from "./update"

const Accepted = StoreResource.pick({ id: true, status: true, access_state: true })
const store = { status: 200, body: one(StoreResource) } as const

export const stores = new Hono<PlatformEnv>()
  .get(
    "/stores",
    describe({ summary: "List stores, the newest first", answers: { status: 200, body: paged(ListedStore) } }),
    query(ListStores),
    async (c) => {
      const { ctx } = c.var
      const input = c.req.valid("query")
      const { rows, total } = await listStores(ctx, input)
      const data = rows.map((row) => listedStore(ctx.settings, row, input.include === "usage"))
      return c.json({ data, meta: pageMeta(input, total) })
    },
  )
  .post(
    "/stores",
    describe({
      summary: "Create a store; provisioning follows on the queue",
      answers: { status: 202, body: one(Accepted).extend({ links: z.object({ self: z.string() }) }) },
      refuses: ["subdomain_reserved", "subdomain_taken"],
    }),
    body(CreateStore),
    async (c) => {
      const { ctx } = c.var
      const { id, status } = (await createStore(ctx, c.req.valid("json"))).store
      const self = publicUrl(ctx.settings, ctx.settings.CENTRAL_DOMAIN, `/api/platform/v1/stores/${id}`)
      return c.json({ data: { id, status, access_state: accessState(status) }, links: { self } }, 202)
    },
  )
  .get(
    "/stores/:id",
    describe({
      summary: "Read a store with its usage and subscription",
      answers: store,
      refuses: ["not_found"],
    }),
    async (c) => c.json({ data: storeResource(c.var.ctx.settings, await readStore(c.var.ctx, c.req.param("id"))) }),
  )
  .patch(
    "/stores/:id",
    describe({
      summary: "Change a store's name, owner or theme",
      answers: store,
      refuses: [
        "not_found",
        "theme_unavailable",
        "theme_not_entitled",
        "theme_requirement_not_entitled",
        "store_unavailable",
      ],
    }),
    body(UpdateStore),
    async (c) => {
      const facts = await updateStore(c.var.ctx, c.req.param("id"), c.req.valid("json"))
      return c.json({ data: storeResource(c.var.ctx.settings, facts) })
    },
  )
  .delete(
    "/stores/:id",
    describe({
      summary: "Delete a store with its data",
      answers: { status: 204 },
      refuses: ["not_found", "confirm_mismatch", "still_provisioning"],
    }),
    body(DeleteStore),
    async (c) => {
      await removeStore(c.var.ctx, c.req.param("id"), { confirm: c.req.valid("json").confirm, reason: "api" })
      return c.body(null, 204)
    },
  )
  .post(
    "/stores/:id/suspend",
    describe({
      summary: "Take a store offline",
      answers: store,
      refuses: ["not_found", "not_provisioned", "illegal_transition"],
    }),
    async (c) => c.json({ data: storeResource(c.var.ctx.settings, await suspendStore(c.var.ctx, c.req.param("id"))) }),
  )
  .post(
    "/stores/:id/resume",
    describe({
      summary: "Bring a suspended store back",
      answers: store,
      refuses: ["not_found", "not_provisioned", "illegal_transition"],
    }),
    async (c) => c.json({ data: storeResource(c.var.ctx.settings, await resumeStore(c.var.ctx, c.req.param("id"))) }),
  )
