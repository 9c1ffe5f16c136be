// Middleware that asks for the password again before sensitive actions, ten minutes after the operator last entered it.
import type { Context, MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import { isMultipart } from "../core/http/body"
import { isConfirmed } from "../platform/operators/sessions"
import { withNotice } from "./forms"
import { runOnce } from "./gate"
import { requireConfirmation } from "./pages/confirm"
import { getSession } from "./session"
import type { ConsoleEnv } from "./types"

const DECLARATION = Symbol("whether a form asks for the password again")

/** The middleware that the route of a form begins with: `sessionOnly` or `recentPassword`. */
export type FormAccess = MiddlewareHandler<ConsoleEnv> & { readonly [DECLARATION]: true }

const declare = (handler: MiddlewareHandler<ConsoleEnv>): FormAccess =>
  Object.assign(handler, { [DECLARATION]: true } as const)

/** For forms whose effect is harmless or can be undone: an admin session is enough. */
export const sessionOnly: FormAccess = declare((c, next) => runOnce(c, next))

/**
 * For sensitive forms: asks for the password or a passkey when the last confirmation is older than ten minutes. The
 * confirmation page carries the submitted fields. The body of an upload is not read before confirmation, so the
 * operator sends the files again.
 * @param action the action as the confirmation page names it: "create an API key"
 * @param uploadPage path of the page with the form; required for forms with files
 */
export const recentPassword = (action: string, uploadPage?: (c: Context<ConsoleEnv>) => string): FormAccess =>
  declare(async (c, next) => {
    const isRecent = isConfirmed(getSession(c), c.var.ctx.now)
    const sendsAgain = uploadPage && (c.var.form.has("resend") || (!isRecent && isMultipart(c)))
    const confirmation = isRecent ? null : await requireConfirmation(c, action, Boolean(sendsAgain))
    if (confirmation) return confirmation
    return sendsAgain ? c.redirect(withNotice(uploadPage(c), "confirmed_upload"), 303) : runOnce(c, next)
  })

/**
 * Asserts that every form route begins with exactly one of `sessionOnly` and `recentPassword`.
 * @param app anything with Hono's `routes`
 * @throws Error for the first route that does not
 */
export function assertDeclared(app: { routes: RouterRoute[] }): void {
  const routes = Map.groupBy(
    app.routes.filter(({ method }) => method !== "GET"),
    ({ method, path }) => `${method} ${path}`,
  )
  for (const [name, handlers] of routes) {
    const declared = handlers.map(({ handler }) => DECLARATION in handler)
    if (!declared[0] || declared.lastIndexOf(true) !== 0)
      throw new Error(`${name} must begin with recentPassword or sessionOnly, and have one of them`)
  }
}
