// Saves the form of an operator's expired session, and shows it again after signing in.
import type { Context, MiddlewareHandler } from "hono"
import { isUrlEncoded } from "../core/http/body"
import * as kit from "../page-kit/restored-forms"
import { findOperatorOfExpired } from "../platform/operators/sessions"
import { page } from "./kit/page"
import { getSession } from "./session"
import { W } from "./strings"
import type { ConsoleEnv, Form } from "./types"

const LOGOUT_PATH = "/console/logout"

const ownerOf = (operator: { id: number }): string => `operator:${operator.id}`

/**
 * Saves the form of a request whose session has expired by idleness or age.
 * @param token the session's cookie
 * @returns the path that shows the form again after signing in; null when there is nothing to save
 */
export async function saveExpiredForm(c: Context<ConsoleEnv>, token: string | undefined): Promise<string | null> {
  const { ctx } = c.var
  const isForm = isUrlEncoded(c) && c.req.path !== LOGOUT_PATH
  const operator = token && isForm ? await findOperatorOfExpired(ctx, token) : null
  return operator && kit.saveExpiredForm(c, ctx, ownerOf(operator))
}

/**
 * Shows a saved form to the operator who sent it.
 * @param fetch calls the route of the form
 */
export const restoreForm = (
  fetch: Parameters<typeof kit.restoreForm<ConsoleEnv>>[0]["fetch"],
): MiddlewareHandler<ConsoleEnv> =>
  kit.restoreForm<ConsoleEnv>({
    home: "/console",
    fetch,
    getCtx: (c) => c.var.ctx,
    getOwner: (c) => ownerOf(getSession(c).operator),
    renderExpired,
  })

const renderExpired = (c: Context<ConsoleEnv>) =>
  page(c, {
    title: W.errors.draft_expired,
    status: 404,
    children: (
      <>
        <p>{W.errors.draft_expired_body}</p>
        <p>
          <a href="/console">{W.errors.home}</a>
        </p>
      </>
    ),
  })

/** Fills in passwords from their hidden fields, unless others were entered. */
export const revealPasswords = async (c: Context<ConsoleEnv>, fields: Form): Promise<Form> =>
  c.var.session && !c.var.isRestored ? kit.revealPasswords(c.var.ctx, ownerOf(c.var.session.operator), fields) : fields
