// Declares which operators may send a form, and whether it asks for the password or for a confirmation first. Every
// form's route begins with such a declaration, or it does not compile (router.ts).
import type { Context, MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import { isMultipart } from "../core/http/body"
import { Refusal } from "../core/http/refusal"
import type { Role } from "../db/schema/central/operators"
import { toRoutePattern } from "../page-kit/route-pattern"
import { isConfirmed } from "../platform/operators/sessions"
import { runOnce } from "./gate"
import { withNotice } from "./notices"
import { requireConfirmation } from "./pages/confirm"
import { getSession } from "./session"
import type { ConsoleEnv } from "./types"

/** The role that may send a form besides admins, or every operator. */
export type FormRole = Role | "any"

const DECLARATION = Symbol("who may send a form, and what it asks for first")

interface Declaration {
  /** `harmless`: nothing; `password`: the password; `confirmed`: a confirmation of what will happen. */
  kind: "harmless" | "password" | "confirmed"
  roles: readonly FormRole[]
}

/** The middleware that the route of a form begins with: `harmless`, `recentPassword`, or that of `confirmed`. */
export type FormAccess = MiddlewareHandler<ConsoleEnv> & { readonly [DECLARATION]: Declaration }

/** Whether an operator may send a form that was declared for these roles. */
export const mayPost = (role: Role, roles: readonly FormRole[]): boolean =>
  role === "admin" || roles.includes("any") || roles.includes(role)

/** @throws Refusal `forbidden` unless the operator's role may send this form */
function assertMayPost(c: Context<ConsoleEnv>, roles: readonly FormRole[]): void {
  if (!mayPost(getSession(c).operator.role, roles)) throw new Refusal("forbidden")
}

function declare(declaration: Declaration, handler: MiddlewareHandler<ConsoleEnv>): FormAccess {
  const checked: MiddlewareHandler<ConsoleEnv> = (c, next) => {
    assertMayPost(c, declaration.roles)
    // The role may change while an upload arrives.
    c.set("assertMayPost", () => assertMayPost(c, declaration.roles))
    return handler(c, next)
  }
  return Object.assign(checked, { [DECLARATION]: declaration } as const)
}

/** For forms whose effect is harmless or can be undone. */
export const harmless = (...roles: FormRole[]): FormAccess => declare({ kind: "harmless", roles }, runOnce)

/** Restricts a page to the operators who may send its form. */
export const requireFormRole =
  (roles: readonly FormRole[]): MiddlewareHandler<ConsoleEnv> =>
  (c, next) => {
    assertMayPost(c, roles)
    return next()
  }

/**
 * For sensitive forms: asks for the password or a passkey when the last confirmation is older than ten minutes. The
 * confirmation page carries the submitted fields. The body of an upload is not read before confirmation, so the
 * operator sends the files again.
 * @param action the action as the confirmation page names it: "create an API key"
 * @param uploadPage path of the page with the form; required for forms with files
 */
export const recentPassword = (
  role: FormRole,
  action: string,
  uploadPage?: (c: Context<ConsoleEnv>) => string,
): FormAccess => declare({ kind: "password", roles: [role] }, requireRecentPassword(action, uploadPage))

/** For forms that a confirmation page precedes (confirmation/). */
export const afterConfirmation = (roles: readonly FormRole[], action: string | undefined): FormAccess =>
  declare({ kind: "confirmed", roles }, action === undefined ? runOnce : requireRecentPassword(action))

const requireRecentPassword =
  (action: string, uploadPage?: (c: Context<ConsoleEnv>) => string): MiddlewareHandler<ConsoleEnv> =>
  async (c, next) => {
    if (c.var.isRestored) return runOnce(c, next)
    const isRecent = isConfirmed(getSession(c), c.var.ctx.now)
    const sendsAgain = uploadPage && (c.var.form.has("resend") || (!isRecent && isMultipart(c)))
    const confirmation = isRecent ? null : await requireConfirmation(c, action, Boolean(sendsAgain))
    if (confirmation) return confirmation
    return sendsAgain ? c.redirect(withNotice(uploadPage(c), "confirmed_upload"), 303) : runOnce(c, next)
  }

/** The declarations of an app's forms, by the path of their routes. */
export function listDeclarations(app: { routes: RouterRoute[] }): Map<string, Declaration> {
  const found = new Map<string, Declaration>()
  for (const { method, path, handler } of app.routes)
    if (method === "POST" && DECLARATION in handler) found.set(path, (handler as FormAccess)[DECLARATION])
  return found
}

/**
 * Asserts that every form route begins with exactly one declaration.
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
      throw new Error(`${name} must begin with harmless, recentPassword or confirmed, and have one of them`)
  }
}

/** Whether an operator may send a form, and whether a confirmation page precedes it. */
export interface FormPermission {
  isAllowed: boolean
  isConfirmed: boolean
}

/**
 * Creates the function that returns how a page renders a form for an operator, from the declarations of the routes.
 * Without it, a page would repeat them.
 */
export function createFormPermissions(app: { routes: RouterRoute[] }): (role: Role, action: string) => FormPermission {
  const routes = [...listDeclarations(app)].map(([path, declared]) => ({ ...declared, pattern: toRoutePattern(path) }))
  return (role, action) => {
    const [path = ""] = action.split(/[?#]/)
    const route = routes.find(({ pattern }) => pattern.test(path))
    return {
      isAllowed: route === undefined || mayPost(role, route.roles),
      isConfirmed: route?.kind === "confirmed",
    }
  }
}
