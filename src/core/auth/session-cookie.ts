// Options of session cookies, and the name of the cookie that the admin sets and the billing page of the same host reads.

const isSecure = (url: string): boolean => new URL(url).protocol === "https:"

/**
 * Returns the options of a session cookie, which scripts cannot read.
 * @param url of the request
 */
export const getSessionCookieOptions = (url: string) =>
  ({ path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure(url) }) as const

/**
 * Returns the name of a cookie that belongs to one host. Over HTTPS, its prefix stops neighbouring stores from setting
 * it.
 * @param url of the request
 * @param plainName the name over HTTP
 */
export const getHostCookieName = (url: string, name: string, plainName = name): string =>
  isSecure(url) ? `__Host-${name}` : plainName

/** @param url of the request */
export const getAdminCookieName = (url: string): string => getHostCookieName(url, "admin")
