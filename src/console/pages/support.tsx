// Support access: a link to a store with a reason, and the end of a session there.
import { type Context, Hono } from "hono"
import { rowId } from "../../core/http/row-id"
import { publicUrl } from "../../env"
import { OpenSupport } from "../../platform/support/schemas"
import { endSupport, openAccess, openSupport } from "../../platform/support/service"
import { done, NOTHING, submit } from "../forms"
import { page } from "../kit/page"
import { Note } from "../kit/parts"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { show } from "./store/page"

const PATH = "/console/stores/:id/support"

export const support = new Hono<ConsoleEnv>()
  .post(PATH, recentPassword("opens a session in somebody else's store"), (c) =>
    submit(
      c,
      OpenSupport,
      async (input) => linkPage(c, await openSupport(c.var.ctx, c.req.param("id"), input)),
      (state) => show(c, state),
    ),
  )
  .post(`${PATH}/:access/end`, sessionOnly, (c) => {
    const id = c.req.param("id")
    return submit(
      c,
      NOTHING,
      async () => {
        const { ctx } = c.var
        const access = await openAccess(ctx, id, rowId(c.req.param("access")))
        await endSupport(ctx, access, "ended")
        return done(`/console/stores/${id}#support`, "support_ended")
      },
      (state) => show(c, state),
    )
  })

/** The link, this once. A form may not lead to another host, so it is followed by hand. */
function linkPage(c: Context<ConsoleEnv>, token: string): Response {
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
          <p>{W.support.once}</p>
        </Note>
        <p>
          <a
            class="button"
            href={publicUrl(settings, `${id}.${settings.CENTRAL_DOMAIN}`, `/billing/support?token=${token}`)}
            rel="noreferrer"
          >
            {W.support.enter(id)}
          </a>
        </p>
      </>
    ),
  })
}
