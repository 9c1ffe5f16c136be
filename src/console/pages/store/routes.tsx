// Handles the buttons and forms of a store's page.
import type { Context } from "hono"
import type * as z from "zod"
import type { Input } from "../../../core/http/input"
import { enableApp } from "../../../platform/apps/service"
import { AttachDomain } from "../../../platform/domains/schemas"
import { attachDomain } from "../../../platform/domains/service"
import { verifyDomain } from "../../../platform/domains/verify"
import { AddNote, addNote } from "../../../platform/stores/notes"
import { retryProvisioning } from "../../../platform/stores/provision"
import { SwitchTheme, UpdateStore } from "../../../platform/stores/schemas"
import { updateStore } from "../../../platform/stores/update"
import { readUsage } from "../../../platform/usage/service"
import { harmless, recentPassword } from "../../form-access"
import { pathParam } from "../../form-handler"
import { handleEditForm, handleForm, NoFields } from "../../forms"
import { type NoticeKey, withNotice } from "../../notices"
import { STORES } from "../../paths"
import { createPages } from "../../router"
import { W } from "../../strings"
import type { ConsoleEnv } from "../../types"
import { renderStore } from "./page"
import { findStoreTab, getTabPath, STORE_TABS } from "./tabs"

/** Creates a handler that runs an action and redirects to the tab of the store's page that it belongs to. */
const actionHandler =
  <Schema extends z.ZodObject>(
    schema: Schema,
    run: (c: Context<ConsoleEnv>, id: string, input: Input<Schema>) => Promise<unknown>,
    notice: NoticeKey = "saved",
    handle = handleForm,
  ) =>
  (c: Context<ConsoleEnv>) => {
    const id = c.req.param("id") ?? ""
    return handle(
      c,
      schema,
      async (input) => {
        await run(c, id, input)
        return withNotice(getTabPath(id, findStoreTab(c.req.path)), notice, c.req.param("slug"))
      },
      (state) => renderStore(c, state),
    )
  }

export const store = createPages().get(`${STORES}/:id`, (c) => renderStore(c))

for (const tab of STORE_TABS) store.get(getTabPath(":id", tab), (c) => renderStore(c))

store
  .post(
    `${STORES}/:id/edit`,
    recentPassword("support", "change a store's name or owner"),
    actionHandler(UpdateStore, (c, id, input) => updateStore(c.var.ctx, id, input), "saved", handleEditForm),
  )
  .post(
    `${STORES}/:id/theme`,
    harmless("support"),
    actionHandler(
      SwitchTheme,
      (c, id, input) => updateStore(c.var.ctx, id, { theme: input.theme }),
      "saved",
      handleEditForm,
    ),
  )
  .post(
    `${STORES}/:id/reprovision`,
    harmless("support"),
    actionHandler(NoFields, (c, id) => retryProvisioning(c.var.ctx, id), "reprovisioned"),
  )
  .post(
    `${STORES}/:id/usage`,
    harmless("support"),
    actionHandler(NoFields, (c, id) => readUsage(c.var.ctx, id, { refresh: true }), "counted"),
  )
  .post(
    `${STORES}/:id/domains`,
    recentPassword("support", "add a domain to a store"),
    actionHandler(AttachDomain, (c, id, input) => attachDomain(c.var.ctx, id, input.domain), "domain_added"),
  )
  .post(`${STORES}/:id/domains/:domain/verify`, harmless("support"), (c) => {
    const id = pathParam(c, "id")
    return handleForm(
      c,
      NoFields,
      async () => {
        const { domain, reason } = await verifyDomain(c.var.ctx, id, pathParam(c, "domain"))
        if (!reason) return withNotice(getTabPath(id, "domains"), "domain_verified")
        const message = W.store.dns[reason](domain.domain)
        return renderStore(c, { status: 422, values: new Map(), errors: {}, message })
      },
      (state) => renderStore(c, state),
    )
  })
  .post(
    `${STORES}/:id/apps/:slug/enable`,
    harmless("support"),
    actionHandler(NoFields, (c, id) => enableApp(c.var.ctx, id, pathParam(c, "slug")), "app_enabled"),
  )
  .post(
    `${STORES}/:id/notes`,
    harmless("support"),
    actionHandler(AddNote, (c, id, input) => addNote(c.var.ctx, id, input)),
  )
