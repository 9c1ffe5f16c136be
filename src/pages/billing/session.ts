// The owner's session in a browser: a login token of the store's API in a cookie that scripts cannot read and that only
// /billing receives. `SameSite` does not protect its forms, because neighbouring stores are the same site to a browser;
// `isSameHostForm` (core/http/same-host.ts) does.
import type { Context } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import type { Settings } from "../../env"
import { DAY, HOUR, SECOND } from "../../lib/time"

const COOKIE = "tenancy_billing"
const PATH = "/billing"

/** How much longer than its session the cookie lasts, in which the form of an expired session is still recognized. */
const COOKIE_GRACE = DAY

/** Milliseconds. */
export const SESSION_TTL = 12 * HOUR

/** The session's token; undefined for a browser that is not signed in. */
export const getSessionToken = (c: Context): string | undefined => getCookie(c, COOKIE)

/** @param ttl how long the cookie lasts, in milliseconds */
export function createSessionCookie(
  c: Context,
  settings: Settings,
  token: string,
  ttl = SESSION_TTL + COOKIE_GRACE,
): void {
  const secure = settings.PUBLIC_URL.startsWith("https:")
  setCookie(c, COOKIE, token, {
    path: PATH,
    httpOnly: true,
    sameSite: "Lax",
    secure,
    maxAge: ttl / SECOND,
  })
}

export function deleteSessionCookie(c: Context): void {
  deleteCookie(c, COOKIE, { path: PATH })
}
