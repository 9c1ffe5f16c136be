// The owner's session in a browser: a login token of the store's API in a cookie that scripts cannot read. `SameSite`
// does not protect its forms, because neighbouring stores are the same site to a browser; `isSameOriginForm`
// (core/http/same-origin.ts) does.
import type { Context } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import { getAdminCookieName, getHostCookieName, getSessionCookieOptions } from "../../core/auth/session-cookie"
import { DAY, HOUR, SECOND } from "../../lib/time"

/** Time for which the cookie outlives its session, so that a form of the expired session is still recognized. */
const COOKIE_GRACE = DAY

/** Milliseconds. */
export const SESSION_TTL = 12 * HOUR

const getCookieName = (c: Context) => getHostCookieName(c.req.url, "billing", "tenancy_billing")

/** The session's token; undefined for a browser that is not signed in. */
export const getSessionToken = (c: Context): string | undefined => getCookie(c, getCookieName(c))

/** The token of a session of this host's admin, which may read this page (ADR 121). */
export const getAdminToken = (c: Context): string | undefined => getCookie(c, getAdminCookieName(c.req.url))

/** @param ttl how long the cookie lasts, in milliseconds */
export const createSessionCookie = (c: Context, token: string, ttl = SESSION_TTL + COOKIE_GRACE): void =>
  setCookie(c, getCookieName(c), token, { ...getSessionCookieOptions(c.req.url), maxAge: ttl / SECOND })

export const deleteSessionCookie = (c: Context): void => {
  deleteCookie(c, getCookieName(c), getSessionCookieOptions(c.req.url))
}
