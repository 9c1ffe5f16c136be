// Every request of the media API needs a key. A server token has a rate limit of its own; the site's API key, which is in every copy of an
// app, has one for each client network.
import type { MiddlewareHandler } from "hono"
import { clientIp } from "../../core/http/http"
import { addressLimits, budgetHeaders, spend } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { writeOnlyAfter } from "../../db/client"
import type { ContentSite, ServerKey } from "../site"
import type { ContentEnv } from "../types"

/** Requests a minute by the type of the key. */
const LIMITS: Record<ServerKey["type"], number> = { standard: 60, internal: 120 }

const READS = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * Counts the request and lets only those with a key pass. Requests without one share the budget of their address.
 * @throws Refusal `rate_limited`, `invalid_key`, `forbidden`, in that order
 */
export const mediaGate: MiddlewareHandler<ContentEnv> = async (c, next) => {
  const { env, key, log, site } = c.var.ctx
  const limit = LIMITS[key?.type ?? "standard"]
  const limits = key
    ? key.id === null
      ? addressLimits(`media-site:${site.id}`, clientIp(c), limit)
      : [{ name: `media:${site.id}:${key.id}`, limit }]
    : addressLimits("media-anonymous", clientIp(c), limit)
  const spent = spend(env, log, limits)
  const refusal = refusalOf(c.req.method, key, site)
  if (refusal) {
    c.set("rateLimit", budgetHeaders(await spent, true))
    throw refusal
  }
  // What is read is read beside the budget, and heard after it: a refusal waits for the reading, which would answer over it. What
  // writes, an upload's bytes included, waits for the budget.
  if (!READS.has(c.req.method)) writeOnlyAfter(site.db, spent)
  const [budget] = await Promise.allSettled([spent, next()])
  if (budget.status === "rejected") {
    // Of the answer that was read nothing is left, not its headers either.
    c.res = undefined
    c.res = new Response()
    throw budget.reason
  }
  c.set("rateLimit", budgetHeaders(budget.value, true))
}

/** Why a request whose budget is not used up does not pass. The site's own key is in every copy of an app: a site may keep it to reading. */
function refusalOf(method: string, key: ServerKey | null, { api }: ContentSite): Refusal | null {
  if (!key) return new Refusal("invalid_key")
  const isKept = key.id === null && !api.keyWritesMedia
  return isKept && !READS.has(method) ? new Refusal("forbidden") : null
}
