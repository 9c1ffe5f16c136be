// Routes of stores.
import type { Context } from "hono"
import * as z from "zod"
import { pageMeta } from "../../core/http/pagination"
import type { PlatformEnv } from "../../core/http/platform-env"
import { readPrecondition } from "../../core/http/precondition"
import { Refusal, type RefusalCode } from "../../core/http/refusal"
import { one, paged } from "../../core/http/response-schemas"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { accessState } from "../../core/http/store-access"
import { publicUrl } from "../../env"
import {
  CancelSubscription,
  OperatorAction,
  ResumeStore,
  SubscriptionResource,
  subscriptionResource,
} from "../subscriptions/schemas"
import { cancelSubscription } from "../subscriptions/service"
import { createStore } from "./create"
import { removeStore } from "./remove"
import { resumeStore } from "./resume"
import {
  CreateStore,
  DeleteStore,
  ListedStore,
  ListStores,
  listedStore,
  type StoreDetails,
  StoreResource,
  SwitchTheme,
  storeResource,
  UpdateStore,
} from "./schemas"
import { listStores, readStore, storeTag, suspendStore } from "./service"
import { updateStore } from "./update"

const Accepted = StoreResource.pick({ id: true, status: true, access_state: true })
const store = { status: 200, body: one(StoreResource) } as const
const Cancelled = z.object({ store: StoreResource, subscription: SubscriptionResource })
/** Refusals of a theme change. */
const themeRefusals: RefusalCode[] = [
  "theme_unavailable",
  "theme_not_entitled",
  "theme_requirement_not_entitled",
  "store_unavailable",
]

const respond = (c: Context<PlatformEnv>, facts: StoreDetails) =>
  c.json({ data: storeResource(c.var.ctx.settings, facts) }, 200, { ETag: storeTag(facts) })

export const stores = createRouter<PlatformEnv>()
  .get(
    "/stores",
    describe({
      id: "stores.list",
      summary: "List stores",
      responses: { status: 200, body: paged(ListedStore) },
    }),
    query(ListStores),
    async (c) => {
      const { ctx } = c.var
      const input = c.req.valid("query")
      const { rows, total } = await listStores(ctx, input, c.var.key.storeSeqs)
      const data = rows.map((row) => listedStore(ctx.settings, row, input.include === "usage"))
      return c.json({ data, meta: pageMeta(input, total) })
    },
  )
  .post(
    "/stores",
    describe({
      id: "stores.create",
      summary: "Create a store",
      responses: { status: 202, body: one(Accepted).extend({ links: z.object({ self: z.string() }) }) },
      refuses: ["forbidden", "subdomain_reserved", "subdomain_taken", "plan_unavailable"],
    }),
    body(CreateStore),
    async (c) => {
      const { ctx, key } = c.var
      if (key.storeSeqs) throw new Refusal("forbidden")
      const { id, status } = await createStore(ctx, c.req.valid("json"))
      const self = publicUrl(ctx.settings, ctx.settings.CENTRAL_DOMAIN, `/api/platform/v1/stores/${id}`)
      return c.json({ data: { id, status, access_state: accessState(status) }, links: { self } }, 202)
    },
  )
  .get(
    "/stores/:id",
    describe({
      id: "stores.get",
      summary: "Retrieve a store",
      responses: store,
      refuses: ["not_found"],
      versioned: true,
    }),
    async (c) => respond(c, await readStore(c.var.ctx, c.req.param("id"))),
  )
  .patch(
    "/stores/:id",
    describe({
      id: "stores.update",
      summary: "Update a store",
      responses: store,
      refuses: ["not_found", ...themeRefusals],
      versioned: true,
    }),
    body(UpdateStore),
    async (c) => {
      const { id } = c.req.param()
      return respond(c, await updateStore(c.var.ctx, id, c.req.valid("json"), readPrecondition(c)))
    },
  )
  .delete(
    "/stores/:id",
    describe({
      id: "stores.delete",
      summary: "Delete a store",
      responses: { status: 204 },
      refuses: ["not_found", "confirm_mismatch", "still_provisioning"],
      versioned: true,
    }),
    body(DeleteStore),
    async (c) => {
      const input = { confirm: c.req.valid("json").confirm, reason: "api" } as const
      await removeStore(c.var.ctx, c.req.param("id"), input, readPrecondition(c))
      return c.body(null, 204)
    },
  )
  .post(
    "/stores/:id/suspend",
    describe({
      id: "stores.suspend",
      summary: "Suspend a store",
      responses: store,
      refuses: ["not_found", "not_provisioned", "illegal_transition"],
      versioned: true,
    }),
    body(OperatorAction),
    async (c) => {
      const { id } = c.req.param()
      return respond(c, await suspendStore(c.var.ctx, id, c.req.valid("json"), readPrecondition(c)))
    },
  )
  .post(
    "/stores/:id/resume",
    describe({
      id: "stores.resume",
      summary: "Resume a store",
      responses: store,
      refuses: ["not_found", "not_provisioned", "illegal_transition", "no_subscription", "stripe_managed", "no_plan"],
      versioned: true,
    }),
    body(ResumeStore),
    async (c) => {
      const { id } = c.req.param()
      return respond(c, await resumeStore(c.var.ctx, id, c.req.valid("json"), readPrecondition(c)))
    },
  )
  .post(
    "/stores/:id/cancel",
    describe({
      id: "stores.cancel",
      summary: "Cancel a store",
      responses: { status: 200, body: one(Cancelled) },
      refuses: ["not_found", "no_subscription", "stripe_managed", "illegal_transition"],
    }),
    body(CancelSubscription),
    async (c) => {
      const facts = await cancelSubscription(c.var.ctx, c.req.param("id"), c.req.valid("json"))
      const subscription = subscriptionResource(facts.subscription)
      return c.json({ data: { store: storeResource(c.var.ctx.settings, facts), subscription } })
    },
  )
  .post(
    "/stores/:id/theme",
    describe({
      id: "stores.setTheme",
      summary: "Change a store's theme",
      responses: store,
      refuses: ["not_found", ...themeRefusals],
      versioned: true,
    }),
    body(SwitchTheme),
    async (c) => {
      const { theme } = c.req.valid("json")
      return respond(c, await updateStore(c.var.ctx, c.req.param("id"), { theme }, readPrecondition(c)))
    },
  )
