// The session of the member of the staff who sent the request, and its cookie.
import type { Context } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import type { StaffSession } from "../content/accounts/staff-sessions"
import type { EditorCtx } from "../content/editor"
import type { SiteCtx } from "../content/site"
import type { UserCtx } from "../content/user"
import { getAdminCookieName, getSessionCookieOptions } from "../core/auth/session-cookie"
import { Refusal } from "../core/http/refusal"
import type { AdminEnv } from "./types"

/**
 * Returns the session. It exists behind `requireSession`.
 * @throws Refusal `unauthenticated`
 */
export function getSession(c: Context<AdminEnv>): StaffSession {
  if (!c.var.session) throw new Refusal("unauthenticated")
  return c.var.session
}

/** Returns the context in which services act for the member of the staff. */
export const getCtx = (c: Context<AdminEnv>): UserCtx => ({ ...c.var.ctx, caller: getSession(c).ctx.caller })

/** Returns the context in which services change content for the member of the staff. */
export const getEditorCtx = (c: Context<AdminEnv>): EditorCtx => ({ ...getCtx(c), needsNoUser: false })

/**
 * Returns the context in which services read content, drafts too, for the member of the staff. It reads from the
 * primary, so that a page shows what its form has just saved.
 */
export function getReaderCtx(c: Context<AdminEnv>): SiteCtx {
  const { caller, ...ctx } = getCtx(c)
  return { ...ctx, ...(caller.token && { reader: caller.token }), bookmark: "first-primary" }
}

const getCookieName = (c: Context) => getAdminCookieName(c.req.url)

export const getSessionToken = (c: Context): string | undefined => getCookie(c, getCookieName(c))

export const setSessionCookie = (c: Context, token: string): void =>
  setCookie(c, getCookieName(c), token, getSessionCookieOptions(c.req.url))

export const clearSessionCookie = (c: Context): void => {
  deleteCookie(c, getCookieName(c), getSessionCookieOptions(c.req.url))
}

/** The cookie of a sign-in that awaits a code. */
const getCodeCookieName = (c: Context) => `${getCookieName(c)}-code`

export const getPendingSignIn = (c: Context): string => getCookie(c, getCodeCookieName(c)) ?? ""

export const setPendingSignIn = (c: Context, token: string): void =>
  setCookie(c, getCodeCookieName(c), token, getSessionCookieOptions(c.req.url))

export const clearPendingSignIn = (c: Context): void => {
  deleteCookie(c, getCodeCookieName(c), getSessionCookieOptions(c.req.url))
}
