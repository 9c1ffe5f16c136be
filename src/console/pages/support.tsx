// Support access: creates single-use links to a store and ends support sessions.
import type { Context } from "hono"
import { rowId } from "../../core/http/row-id"
import { getFallbackHost, publicUrl } from "../../env"
import { Note } from "../../page-kit/parts"
import { CreateSupportAccess } from "../../platform/support/schemas"
import { createSupportAccess, endSupportAccess, findOpenSupportAccess } from "../../platform/support/service"
import { harmless, recentPassword } from "../form-access"
import { handleForm, NoFields } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { renderStore } from "./store/page"

const PATH = "/console/stores/:id/support"

export const support = createPages()
  .post(PATH, recentPassword("admin", "create a support link to a store"), (c) =>
    handleForm(
      c,
      CreateSupportAccess,
      async (input) => renderLink(c, await createSupportAccess(c.var.ctx, c.req.param("id"), input)),
      (state) => renderStore(c, state),
    ),
  )
  .post(`${PATH}/:access/end`, harmless("admin"), (c) => {
    const id = c.req.param("id")
    return handleForm(
      c,
      NoFields,
      async () => {
        const { ctx } = c.var
        const access = await findOpenSupportAccess(ctx, id, rowId(c.req.param("access")))
        await endSupportAccess(ctx, access, "ended")
        return withNotice(`/console/stores/${id}#support`, "support_ended")
      },
      (state) => renderStore(c, state),
    )
  })

/**
 * Shows the single-use link. The CSP's form-action forbids a redirect to the store's host, so the operator follows it
 * by hand.
 */
function renderLink(c: Context<ConsoleEnv>, token: string) {
  const { settings } = c.var.ctx
  const id = c.req.param("id") ?? ""
  return page(c, {
    title: W.support.title,
    crumbs: [
      [W.stores.title, "/console/stores"],
      [id, `/console/stores/${id}`],
    ],
    children: (
      <>
        <Note tone="warn">
          <p>{W.support.single_use}</p>
        </Note>
        <p>
          <a
            class="button"
            href={publicUrl(settings, getFallbackHost(settings, id), `/billing/support?token=${token}`)}
            rel="noreferrer"
          >
            {W.support.enter(id)}
          </a>
        </p>
      </>
    ),
  })
}
