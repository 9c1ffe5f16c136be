// Declares beside each form's route whether the form asks for the password again, ten minutes after the operator last gave it.
import type { Context, MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import { isMultipart } from "../core/http/body"
import { isConfirmed } from "../platform/operators/sessions"
import { done } from "./forms"
import { once } from "./gate"
import { confirmAgain } from "./pages/confirm"
import type { ConsoleEnv } from "./types"

type Handler = MiddlewareHandler<ConsoleEnv>

const DECLARATION = Symbol("whether a form asks for the password again")

const declare = (handler: Handler): Handler => Object.assign(handler, { [DECLARATION]: true })

/** A form that any admin's session may send: what it does can be undone, or hurts nobody. */
export const sessionOnly: Handler = declare((c, next) => once(c, next))

/**
 * A form that asks for the password or a passkey again when the last one is older than ten minutes. The fields are sent along
 * with it; the body of an upload is not read before that, so the operator sends the files once more.
 * @param reason what the form does, as the page that asks says it: "creates an API key"
 * @param uploadPage the page with the form, required for a form with files
 */
export const recentPassword = (reason: string, uploadPage?: (c: Context<ConsoleEnv>) => string): Handler =>
  declare(async (c, next) => {
    const isRecent = isConfirmed(c.var.session, c.var.ctx.now)
    const sendsAgain = uploadPage && (c.var.form.has("resend") || (!isRecent && isMultipart(c)))
    const asked = isRecent ? null : await confirmAgain(c, reason, Boolean(sendsAgain))
    if (asked) return asked
    return sendsAgain ? c.redirect(done(uploadPage(c), "confirmed_upload"), 303) : once(c, next)
  })

/**
 * Checks that every route that is no page declares what it asks for, once and in front of everything else.
 * @param app anything that carries Hono's `routes`
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
