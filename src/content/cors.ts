// CORS of the content API (Fetch standard, section 3.2): which pages of other origins may read its responses. No
// cookies authenticate the API, so every origin may call it unless the site lists some.
import type { Context, MiddlewareHandler } from "hono"
import type { ContentSite } from "./site"
import type { ContentEnv } from "./types"

const ALLOWED_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
const ALLOWED_HEADERS =
  "Authorization, Content-Type, Accept-Language, X-LANGUAGE, X-API-KEY, X-D1-Bookmark, Idempotency-Key, If-Match, If-None-Match, Range"
const EXPOSED_HEADERS =
  "ETag, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-D1-Bookmark"

/** Time for which browsers cache the response to a preflight request. Chromium caches it for at most two hours. */
const PREFLIGHT_MAX_AGE_SECONDS = 7_200

/** Whether a request asks which requests its origin may make. It carries no key. */
export const isPreflight = (c: Context<ContentEnv>): boolean =>
  c.req.method === "OPTIONS" &&
  c.req.header("Origin") !== undefined &&
  c.req.header("Access-Control-Request-Method") !== undefined

/** Returns the response to a preflight request. */
export function respondToPreflight(c: Context<ContentEnv>, site: ContentSite): Response {
  const origin = findAllowedOrigin(c, site)
  if (origin === null) return c.body(null, 204)
  return c.body(null, 204, {
    "Access-Control-Allow-Methods": ALLOWED_METHODS,
    "Access-Control-Allow-Headers": ALLOWED_HEADERS,
    "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_SECONDS),
  })
}

/** Adds the CORS headers to every response of a site, errors included. A request to no site gets none. */
export const cors: MiddlewareHandler<ContentEnv> = async (c, next) => {
  await next()
  const site = c.get("corsSite")
  if (!site) return
  const headers: Record<string, string> = {}
  const origin = findAllowedOrigin(c, site)
  if (origin !== null) {
    headers["Access-Control-Allow-Origin"] = origin
    headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
  }
  // The response depends on the origin only if the site lists some.
  if (site.api.corsOrigins) headers.Vary = [c.res.headers.get("Vary"), "Origin"].filter(Boolean).join(", ")
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
}

/** Returns the value of `Access-Control-Allow-Origin`; null if the request's origin is not allowed. */
function findAllowedOrigin(c: Context<ContentEnv>, { api }: ContentSite): string | null {
  const origin = c.req.header("Origin")
  if (origin === undefined) return null
  if (api.corsOrigins === null) return "*"
  return api.corsOrigins.includes(origin) ? origin : null
}
