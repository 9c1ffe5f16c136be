// The session of a customer in a browser: a login token of the store's API in a cookie that scripts cannot read.
import type { Settings } from "../../env"
import { DAY, SECOND } from "../../lib/time"
import type { Cookies } from "./cookies"

/** Milliseconds. */
export const SESSION_TTL = 30 * DAY

/** Whether browsers reach stores by HTTPS. */
export const isSecure = ({ PUBLIC_URL }: Settings): boolean => PUBLIC_URL.startsWith("https:")

const cookieName = (settings: Settings): string => (isSecure(settings) ? "__Host-account" : "account")

/** Returns the session's token; undefined for a visitor who is not signed in. */
export const getSessionToken = (settings: Settings, cookies: Cookies): string | undefined => {
  const encoded = cookies.get(cookieName(settings))
  // A token is `<id>|<secret>`, and cookies must not contain a bar.
  return encoded && /^\d{1,15}\.[0-9A-Za-z]{48}$/.test(encoded) ? encoded.replace(".", "|") : undefined
}

/** @param token of a login */
export const setSessionToken = (settings: Settings, cookies: Cookies, token: string): void =>
  cookies.set(cookieName(settings), token.replace("|", "."), { maxAgeSeconds: SESSION_TTL / SECOND, httpOnly: true })

export const deleteSessionToken = (settings: Settings, cookies: Cookies): void => cookies.delete(cookieName(settings))
