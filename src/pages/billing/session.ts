// The owner's session in a browser: the very token that the store's API gives for a password, in a cookie that no script reads and no
// other path gets. Forms from elsewhere are refused by their `Origin`: a neighbouring store is the same site to a browser.
import type { Context } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import type { Settings } from "../../env"
import { HOUR, SECOND } from "../../lib/time"

const COOKIE = "tenancy_billing"
const PATH = "/billing"

/** Milliseconds for which a browser stays signed in. */
export const SESSION_TTL = 12 * HOUR

/** The session's token; undefined for a browser that is not signed in. */
export const sessionToken = (c: Context): string | undefined => getCookie(c, COOKIE)

/** @param ttl milliseconds */
export function beginSession(c: Context, settings: Settings, token: string, ttl = SESSION_TTL): void {
  const secure = settings.PUBLIC_URL.startsWith("https:")
  setCookie(c, COOKIE, token, { path: PATH, httpOnly: true, sameSite: "Lax", secure, maxAge: ttl / SECOND })
}

export const endSession = (c: Context): void => {
  deleteCookie(c, COOKIE, { path: PATH })
}

/** Whether a form was sent by this host's own page. What is no browser says nothing of an origin, and has no cookie to abuse. */
export function isOwnForm(c: Context): boolean {
  const origin = c.req.header("Origin")
  if (origin === undefined) return c.req.header("Sec-Fetch-Site") !== "cross-site"
  return URL.parse(origin)?.hostname === new URL(c.req.url).hostname
}
