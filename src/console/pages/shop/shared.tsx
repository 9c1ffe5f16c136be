// Shared parts of the pages about a store's apps.
import type { Context } from "hono"
import { createOperatorCtx, type UserCtx } from "../../../content/user"
import { Refusal } from "../../../core/http/refusal"
import { Note } from "../../../page-kit/parts"
import { pathParam } from "../../form-handler"
import { STORES } from "../../paths"
import { W } from "../../strings"
import type { ConsoleEnv } from "../../types"

export type C = Context<ConsoleEnv>

export const SITE = "/console/sites/:site"

export const PER_PAGE = 50

/** A context that reads as the store's staff. The central site has no apps. */
export const getReaderCtx = (c: C): Promise<UserCtx> => getCtx(c, "viewer")

/** A context that changes what the store's staff may change, in the operator's name. */
export const getStaffCtx = (c: C): Promise<UserCtx> => getCtx(c, "admin")

async function getCtx(c: C, role: "viewer" | "admin"): Promise<UserCtx> {
  const ctx = await createOperatorCtx(c.var.ctx, pathParam(c, "site"), role)
  if (!ctx.site.store) throw new Refusal("not_found")
  return ctx
}

/** Shows that a store has an app turned off; nothing while it is on. */
export function AppState({ site: { store }, app }: { site: UserCtx["site"]; app: { slug: string } }) {
  if (!store || store.apps.includes(app.slug)) return null
  return (
    <Note tone="warn">
      <p>
        {W.shop.off} <a href={`${STORES}/${store.id}/apps`}>{W.store.apps}</a>
      </p>
    </Note>
  )
}
