// What may be done to one store: a POST for each button and form of its page.
import { type Context, Hono } from "hono"
import type * as z from "zod"
import { rowId } from "../../../core/http/row-id"
import { disableApp, enableApp } from "../../../platform/apps/service"
import { AttachDomain } from "../../../platform/domains/schemas"
import { attachDomain, makePrimary, removeDomain } from "../../../platform/domains/service"
import { verifyDomain } from "../../../platform/domains/verify"
import { detachStore } from "../../../platform/payments/reconcile"
import { AddNote, addNote, removeNote } from "../../../platform/stores/notes"
import { retryProvisioning } from "../../../platform/stores/provision"
import { removeStore } from "../../../platform/stores/remove"
import { DeleteStore, SwitchTheme, UpdateStore } from "../../../platform/stores/schemas"
import { resumeStore, suspendStore } from "../../../platform/stores/service"
import { updateStore } from "../../../platform/stores/update"
import { AssignPlan, ChangePlan, Extend } from "../../../platform/subscriptions/schemas"
import {
  assignPlan,
  cancelSubscription,
  changeToPlan,
  extendSubscription,
  reactivateSubscription,
  resyncPlan,
} from "../../../platform/subscriptions/service"
import { readUsage } from "../../../platform/usage/service"
import { param } from "../../form-handler"
import { change, done, NOTHING, submit } from "../../forms"
import { STORES } from "../../paths"
import { recentPassword, sessionOnly } from "../../reauthentication"
import { W } from "../../strings"
import type { ConsoleEnv } from "../../types"
import { show } from "./page"

/** A POST of a button or form of the page: does it, and leads back to the page. */
const act =
  <Schema extends z.ZodObject>(
    schema: Schema,
    run: (c: Context<ConsoleEnv>, id: string, input: z.output<Schema>) => Promise<unknown>,
    said: keyof typeof W.done = "saved",
    take = submit,
  ) =>
  (c: Context<ConsoleEnv>) => {
    const id = c.req.param("id") ?? ""
    return take(
      c,
      schema,
      async (input) => {
        await run(c, id, input)
        return done(`${STORES}/${id}`, said)
      },
      (state) => show(c, state),
    )
  }

export const store = new Hono<ConsoleEnv>()
  .get(`${STORES}/:id`, (c) => show(c))
  .post(
    `${STORES}/:id/edit`,
    recentPassword("can give the store to another owner address"),
    act(UpdateStore, (c, id, input) => updateStore(c.var.ctx, id, input), "saved", change),
  )
  .post(`${STORES}/:id/delete`, recentPassword("deletes a store with its data"), (c) => {
    const id = param(c, "id")
    return submit(
      c,
      DeleteStore,
      async ({ confirm }) => {
        await removeStore(c.var.ctx, id, { confirm, reason: "console" })
        return done(STORES, "store_deleted")
      },
      (state) => show(c, state),
    )
  })
  .post(
    `${STORES}/:id/suspend`,
    recentPassword("takes a store offline"),
    act(NOTHING, (c, id) => suspendStore(c.var.ctx, id), "suspended"),
  )
  .post(
    `${STORES}/:id/resume`,
    sessionOnly,
    act(NOTHING, (c, id) => resumeStore(c.var.ctx, id), "resumed"),
  )
  .post(
    `${STORES}/:id/cancel`,
    recentPassword("ends what the store pays for"),
    act(NOTHING, (c, id) => cancelSubscription(c.var.ctx, id), "cancelled"),
  )
  .post(
    `${STORES}/:id/theme`,
    sessionOnly,
    act(SwitchTheme, (c, id, input) => updateStore(c.var.ctx, id, { theme: input.theme }), "saved", change),
  )
  .post(
    `${STORES}/:id/reprovision`,
    sessionOnly,
    act(NOTHING, (c, id) => retryProvisioning(c.var.ctx, id), "reprovisioned"),
  )
  .post(
    `${STORES}/:id/usage`,
    sessionOnly,
    act(NOTHING, (c, id) => readUsage(c.var.ctx, id, { refresh: true }), "counted"),
  )
  .post(
    `${STORES}/:id/subscription/assign`,
    recentPassword("changes what the store is charged"),
    act(AssignPlan, (c, id, input) => assignPlan(c.var.ctx, id, input)),
  )
  .post(
    `${STORES}/:id/subscription/change-plan`,
    recentPassword("changes what the store is charged"),
    act(ChangePlan, (c, id, input) => changeToPlan(c.var.ctx, id, input)),
  )
  .post(
    `${STORES}/:id/subscription/extend`,
    recentPassword("changes what the store is charged"),
    act(Extend, (c, id, input) => extendSubscription(c.var.ctx, id, input)),
  )
  .post(
    `${STORES}/:id/subscription/cancel`,
    recentPassword("ends what the store pays for"),
    act(NOTHING, (c, id) => cancelSubscription(c.var.ctx, id), "cancelled"),
  )
  .post(
    `${STORES}/:id/subscription/reactivate`,
    recentPassword("changes what the store is charged"),
    act(NOTHING, (c, id) => reactivateSubscription(c.var.ctx, id)),
  )
  .post(
    `${STORES}/:id/subscription/detach`,
    recentPassword("ends the charges of a payment provider"),
    act(NOTHING, (c, id) => detachStore(c.var.ctx, id)),
  )
  .post(
    `${STORES}/:id/subscription/resync`,
    recentPassword("changes what the store is charged"),
    act(NOTHING, (c, id) => resyncPlan(c.var.ctx, id)),
  )
  .post(
    `${STORES}/:id/domains`,
    recentPassword("adds a domain at which the store is reached"),
    act(AttachDomain, (c, id, input) => attachDomain(c.var.ctx, id, input.domain), "domain_added"),
  )
  .post(`${STORES}/:id/domains/:domain/verify`, sessionOnly, (c) => {
    const id = param(c, "id")
    return submit(
      c,
      NOTHING,
      async () => {
        const { domain, reason } = await verifyDomain(c.var.ctx, id, param(c, "domain"))
        if (!reason) return done(`${STORES}/${id}#domains`, "domain_verified")
        const message = W.store.dns[reason](domain.domain)
        return show(c, { status: 422, values: new Map(), errors: {}, message })
      },
      (state) => show(c, state),
    )
  })
  .post(
    `${STORES}/:id/domains/:domain/primary`,
    recentPassword("leads the store's visitors and mails to another domain"),
    act(NOTHING, (c, id) => makePrimary(c.var.ctx, id, param(c, "domain"))),
  )
  .post(
    `${STORES}/:id/domains/:domain/delete`,
    recentPassword("takes a store off its domain"),
    act(NOTHING, (c, id) => removeDomain(c.var.ctx, id, param(c, "domain")), "deleted"),
  )
  .post(
    `${STORES}/:id/apps/:slug/enable`,
    sessionOnly,
    act(NOTHING, (c, id) => enableApp(c.var.ctx, id, param(c, "slug"))),
  )
  .post(
    `${STORES}/:id/apps/:slug/disable`,
    sessionOnly,
    act(NOTHING, (c, id) => disableApp(c.var.ctx, id, param(c, "slug"))),
  )
  .post(
    `${STORES}/:id/notes`,
    sessionOnly,
    act(AddNote, (c, id, input) => addNote(c.var.ctx, id, input)),
  )
  .post(
    `${STORES}/:id/notes/:note/delete`,
    sessionOnly,
    act(NOTHING, (c, id) => removeNote(c.var.ctx, id, rowId(param(c, "note"))), "deleted"),
  )
