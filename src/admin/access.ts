// Declares which members of the staff may open a page or send a form. Every form's route begins with such a declaration,
// or it does not compile (`createAdminPages`).
import type { Context, MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import { roleOf } from "../content/accounts/staff-sessions"
import { rolesFrom } from "../content/staff/rules"
import { Refusal } from "../core/http/refusal"
import { createPageRouter, type PageRouter } from "../core/http/router"
import type { StaffRole } from "../db/schema/sites/users"
import { toRoutePattern } from "../page-kit/route-pattern"
import { getSession } from "./session"
import type { AdminEnv } from "./types"

const ROLE = Symbol("the lowest role that may send a form")

/** The middleware that the route of a form begins with. */
export type RoleRequirement = MiddlewareHandler<AdminEnv> & { readonly [ROLE]: StaffRole }

const isIncluded = (role: StaffRole, minimum: StaffRole): boolean => rolesFrom(minimum).includes(role)

function assertRole(c: Context<AdminEnv>, minimum: StaffRole): void {
  if (!isIncluded(roleOf(getSession(c)), minimum)) throw new Refusal("forbidden")
}

/** Requires a member of the staff with this role or a higher one. */
export function requireRole(minimum: StaffRole): RoleRequirement {
  const handler: MiddlewareHandler<AdminEnv> = (c, next) => {
    assertRole(c, minimum)
    // The role may change while an upload arrives.
    c.set("assertRole", () => assertRole(c, minimum))
    return next()
  }
  return Object.assign(handler, { [ROLE]: minimum } as const)
}

/** The context of a request to an admin page. */
export type AdminContext = Context<AdminEnv>

/** Creates a router of admin pages. Pages without a declaration are open to every member of the staff. */
export const createAdminPages = (): PageRouter<AdminEnv, RoleRequirement> =>
  createPageRouter<AdminEnv, RoleRequirement>()

/** Lists the role that each form's route requires, by its path. */
function listFormRoles(app: { routes: RouterRoute[] }): Map<string, StaffRole> {
  const roles = new Map<string, StaffRole>()
  for (const { method, path, handler } of app.routes)
    if (method === "POST" && ROLE in handler) roles.set(path, (handler as RoleRequirement)[ROLE])
  return roles
}

/** Creates the function that returns whether a role may send the form with an action, from the routes' declarations. */
export function createFormCheck(app: { routes: RouterRoute[] }): (role: StaffRole, action: string) => boolean {
  const forms = [...listFormRoles(app)].map(([path, minimum]) => ({ pattern: toRoutePattern(path), minimum }))
  return (role, action) => {
    const [path = ""] = action.split(/[?#]/)
    const form = forms.find(({ pattern }) => pattern.test(path))
    return form === undefined || isIncluded(role, form.minimum)
  }
}
