// Authenticates and rate-limits requests of the media API. Every request needs a key. A server token has its own rate
// limit; the site's API key ships in every copy of an app, so it is limited per client network.
import type { MiddlewareHandler } from "hono"
import { clientAddress } from "../../core/http/http"
import { addressLimits, rateLimitHeaders, takeTokens } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { deferWritesUntil } from "../../db/deferred-writes"
import type { ContentSite, ServerKey } from "../site"
import type { ContentEnv } from "../types"

/** Rate limit by type of key. */
const REQUESTS_PER_MINUTE: Record<ServerKey["type"], number> = { standard: 60, internal: 120 }

const READ_METHODS = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * Counts the request and requires a key. Requests without one share the rate limit of their address.
 * @throws Refusal `rate_limited`, `invalid_key`, `forbidden`, in that order
 */
export const mediaGate: MiddlewareHandler<ContentEnv> = async (c, next) => {
  const { env, key, log, site } = c.var.ctx
  const limit = REQUESTS_PER_MINUTE[key?.type ?? "standard"]
  const limits = key
    ? key.id === null
      ? addressLimits(`media-site:${site.id}`, clientAddress(c), limit)
      : [{ name: `media:${site.id}:${key.id}`, limit }]
    : addressLimits("media-anonymous", clientAddress(c), limit)
  const rateLimit = takeTokens(env, log, limits)
  const refusal = refusalOf(c.req.method, key, site)
  if (refusal) {
    c.set("rateLimit", rateLimitHeaders(await rateLimit, true))
    throw refusal
  }
  // Reads run in parallel with the rate-limit check. A refusal waits until they have finished, because their response
  // would overwrite it. Writes, including the bytes of an upload, wait for the check.
  if (!READ_METHODS.has(c.req.method)) deferWritesUntil(site.db, rateLimit)
  const [result] = await Promise.allSettled([rateLimit, next()])
  if (result.status === "rejected") {
    // Discard the response of the handler, including its headers.
    c.res = undefined
    c.res = new Response()
    throw result.reason
  }
  c.set("rateLimit", rateLimitHeaders(result.value, true))
}

/**
 * Refusal of a request within the rate limit. A site may restrict its API key, which ships in every copy of an app, to
 * reading.
 */
function refusalOf(method: string, key: ServerKey | null, { api }: ContentSite): Refusal | null {
  if (!key) return new Refusal("invalid_key")
  const isReadOnly = key.id === null && !api.keyWritesMedia
  return isReadOnly && !READ_METHODS.has(method) ? new Refusal("forbidden") : null
}
