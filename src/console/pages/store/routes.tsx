// Handles the buttons and forms of a store's page.
import type { Context } from "hono"
import type * as z from "zod"
import type { Input } from "../../../core/http/input"
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
import { pathParam } from "../../form-handler"
import { handleEditForm, handleForm, NoFields, withNotice } from "../../forms"
import { STORES } from "../../paths"
import { recentPassword, sessionOnly } from "../../reauthentication"
import { createPages } from "../../router"
import { W } from "../../strings"
import type { ConsoleEnv } from "../../types"
import { renderStore } from "./page"

/** Creates a handler that runs an action and redirects to the store's page. */
const actionHandler =
  <Schema extends z.ZodObject>(
    schema: Schema,
    run: (c: Context<ConsoleEnv>, id: string, input: Input<Schema>) => Promise<unknown>,
    notice: keyof typeof W.notices = "saved",
    handle = handleForm,
  ) =>
  (c: Context<ConsoleEnv>) => {
    const id = c.req.param("id") ?? ""
    return handle(
      c,
      schema,
      async (input) => {
        await run(c, id, input)
        return withNotice(`${STORES}/${id}`, notice)
      },
      (state) => renderStore(c, state),
    )
  }

/** Cancels at once and tells the owner. */
const CANCEL_NOW = { at_period_end: false, notify: true }

export const store = createPages()
  .get(`${STORES}/:id`, (c) => renderStore(c))
  .post(
    `${STORES}/:id/edit`,
    recentPassword("change a store's name or owner"),
    actionHandler(UpdateStore, (c, id, input) => updateStore(c.var.ctx, id, input), "saved", handleEditForm),
  )
  .post(`${STORES}/:id/delete`, recentPassword("delete a store and its data"), (c) => {
    const id = pathParam(c, "id")
    return handleForm(
      c,
      DeleteStore,
      async ({ confirm }) => {
        await removeStore(c.var.ctx, id, { confirm, reason: "console" })
        return withNotice(STORES, "store_deleted")
      },
      (state) => renderStore(c, state),
    )
  })
  .post(
    `${STORES}/:id/suspend`,
    recentPassword("suspend a store"),
    actionHandler(NoFields, (c, id) => suspendStore(c.var.ctx, id), "suspended"),
  )
  .post(
    `${STORES}/:id/resume`,
    sessionOnly,
    actionHandler(NoFields, (c, id) => resumeStore(c.var.ctx, id), "resumed"),
  )
  .post(
    `${STORES}/:id/cancel`,
    recentPassword("cancel a subscription"),
    actionHandler(NoFields, (c, id) => cancelSubscription(c.var.ctx, id, CANCEL_NOW), "cancelled"),
  )
  .post(
    `${STORES}/:id/theme`,
    sessionOnly,
    actionHandler(
      SwitchTheme,
      (c, id, input) => updateStore(c.var.ctx, id, { theme: input.theme }),
      "saved",
      handleEditForm,
    ),
  )
  .post(
    `${STORES}/:id/reprovision`,
    sessionOnly,
    actionHandler(NoFields, (c, id) => retryProvisioning(c.var.ctx, id), "reprovisioned"),
  )
  .post(
    `${STORES}/:id/usage`,
    sessionOnly,
    actionHandler(NoFields, (c, id) => readUsage(c.var.ctx, id, { refresh: true }), "counted"),
  )
  .post(
    `${STORES}/:id/subscription/assign`,
    recentPassword("assign a plan to a store"),
    actionHandler(AssignPlan, (c, id, input) => assignPlan(c.var.ctx, id, input)),
  )
  .post(
    `${STORES}/:id/subscription/change-plan`,
    recentPassword("change a store's plan"),
    actionHandler(ChangePlan, (c, id, input) => changeToPlan(c.var.ctx, id, input)),
  )
  .post(
    `${STORES}/:id/subscription/extend`,
    recentPassword("extend a subscription"),
    actionHandler(Extend, (c, id, input) => extendSubscription(c.var.ctx, id, input)),
  )
  .post(
    `${STORES}/:id/subscription/cancel`,
    recentPassword("cancel a subscription"),
    actionHandler(NoFields, (c, id) => cancelSubscription(c.var.ctx, id, CANCEL_NOW), "cancelled"),
  )
  .post(
    `${STORES}/:id/subscription/reactivate`,
    recentPassword("reactivate a subscription"),
    actionHandler(NoFields, (c, id) => reactivateSubscription(c.var.ctx, id)),
  )
  .post(
    `${STORES}/:id/subscription/detach`,
    recentPassword("move a store to manual billing"),
    actionHandler(NoFields, (c, id) => detachStore(c.var.ctx, id)),
  )
  .post(
    `${STORES}/:id/subscription/resync`,
    recentPassword("apply a plan's current terms to a store"),
    actionHandler(NoFields, (c, id) => resyncPlan(c.var.ctx, id)),
  )
  .post(
    `${STORES}/:id/domains`,
    recentPassword("add a domain to a store"),
    actionHandler(AttachDomain, (c, id, input) => attachDomain(c.var.ctx, id, input.domain), "domain_added"),
  )
  .post(`${STORES}/:id/domains/:domain/verify`, sessionOnly, (c) => {
    const id = pathParam(c, "id")
    return handleForm(
      c,
      NoFields,
      async () => {
        const { domain, reason } = await verifyDomain(c.var.ctx, id, pathParam(c, "domain"))
        if (!reason) return withNotice(`${STORES}/${id}#domains`, "domain_verified")
        const message = W.store.dns[reason](domain.domain)
        return renderStore(c, { status: 422, values: new Map(), errors: {}, message })
      },
      (state) => renderStore(c, state),
    )
  })
  .post(
    `${STORES}/:id/domains/:domain/primary`,
    recentPassword("change a store's primary domain"),
    actionHandler(NoFields, (c, id) => makePrimary(c.var.ctx, id, pathParam(c, "domain"))),
  )
  .post(
    `${STORES}/:id/domains/:domain/delete`,
    recentPassword("remove a domain from a store"),
    actionHandler(NoFields, (c, id) => removeDomain(c.var.ctx, id, pathParam(c, "domain")), "deleted"),
  )
  .post(
    `${STORES}/:id/apps/:slug/enable`,
    sessionOnly,
    actionHandler(NoFields, (c, id) => enableApp(c.var.ctx, id, pathParam(c, "slug"))),
  )
  .post(
    `${STORES}/:id/apps/:slug/disable`,
    sessionOnly,
    actionHandler(NoFields, (c, id) => disableApp(c.var.ctx, id, pathParam(c, "slug"))),
  )
  .post(
    `${STORES}/:id/notes`,
    sessionOnly,
    actionHandler(AddNote, (c, id, input) => addNote(c.var.ctx, id, input)),
  )
  .post(
    `${STORES}/:id/notes/:note/delete`,
    sessionOnly,
    actionHandler(NoFields, (c, id) => removeNote(c.var.ctx, id, rowId(pathParam(c, "note"))), "deleted"),
  )
