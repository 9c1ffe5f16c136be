// Routes of stores.
import * as z from "zod"
import { pageMeta } from "../../core/http/pagination"
import type { PlatformEnv } from "../../core/http/platform-env"
import type { RefusalCode } from "../../core/http/refusal"
import { one, paged } from "../../core/http/response-schemas"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { accessState } from "../../core/http/store-access"
import { publicUrl } from "../../env"
import {
  CancelSubscription,
  OperatorAction,
  SubscriptionResource,
  subscriptionResource,
} from "../subscriptions/schemas"
import { cancelSubscription } from "../subscriptions/service"
import { createStore } from "./create"
import { removeStore } from "./remove"
import {
  CreateStore,
  DeleteStore,
  ListedStore,
  ListStores,
  listedStore,
  StoreResource,
  SwitchTheme,
  storeResource,
  UpdateStore,
} from "./schemas"
import { listStores, readStore, resumeStore, suspendStore } from "./service"
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
      const { rows, total } = await listStores(ctx, input)
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
      refuses: ["subdomain_reserved", "subdomain_taken", "plan_unavailable"],
    }),
    body(CreateStore),
    async (c) => {
      const { ctx } = c.var
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
    }),
    async (c) => c.json({ data: storeResource(c.var.ctx.settings, await readStore(c.var.ctx, c.req.param("id"))) }),
  )
  .patch(
    "/stores/:id",
    describe({
      id: "stores.update",
      summary: "Update a store",
      responses: store,
      refuses: ["not_found", ...themeRefusals],
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
      id: "stores.delete",
      summary: "Delete a store",
      responses: { status: 204 },
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
      id: "stores.suspend",
      summary: "Suspend a store",
      responses: store,
      refuses: ["not_found", "not_provisioned", "illegal_transition"],
    }),
    body(OperatorAction),
    async (c) => {
      const facts = await suspendStore(c.var.ctx, c.req.param("id"), c.req.valid("json"))
      return c.json({ data: storeResource(c.var.ctx.settings, facts) })
    },
  )
  .post(
    "/stores/:id/resume",
    describe({
      id: "stores.resume",
      summary: "Resume a store",
      responses: store,
      refuses: ["not_found", "not_provisioned", "illegal_transition"],
    }),
    async (c) => c.json({ data: storeResource(c.var.ctx.settings, await resumeStore(c.var.ctx, c.req.param("id"))) }),
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
    }),
    body(SwitchTheme),
    async (c) => {
      const facts = await updateStore(c.var.ctx, c.req.param("id"), { theme: c.req.valid("json").theme })
      return c.json({ data: storeResource(c.var.ctx.settings, facts) })
    },
  )
