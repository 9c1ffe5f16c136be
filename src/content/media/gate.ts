// Every request of the media API carries a key, and each key has a budget of requests a minute.
import type { MiddlewareHandler } from "hono"
import type { RateLimitBucket } from "../../../durable/rate-limit-bucket"
import { clientIp } from "../../core/http"
import { Refusal } from "../../core/refusal"
import { callDurable } from "../../lib/durable"
import type { Budget } from "../../lib/fixed-window"
import type { ServerKey, SiteCtx } from "../site"
import type { ContentEnv } from "../types"

/** Requests a minute by the type of the key. */
const LIMITS: Record<ServerKey["type"], number> = { standard: 60, internal: 120 }

/**
 * Counts the request and lets only those with a key pass. Requests without one share the budget of their address.
 * @throws Refusal `rate_limited`, `invalid_key`, in that order
 */
export const mediaGate: MiddlewareHandler<ContentEnv> = async (c, next) => {
  const { ctx } = c.var
  const budget = await take(ctx, clientIp(c))
  if (budget) {
    const headers = {
      "X-RateLimit-Limit": String(budget.limit),
      "X-RateLimit-Remaining": String(budget.remaining),
      "X-RateLimit-Reset": String(Math.ceil(budget.resetAt / 1000)),
    }
    for (const [name, value] of Object.entries(headers)) c.header(name, value)
    if (!budget.allowed) {
      const seconds = Math.max(1, Math.ceil((budget.resetAt - Date.now()) / 1000))
      throw new Refusal("rate_limited", { retryAfter: seconds, seconds })
    }
  }
  if (!ctx.key) throw new Refusal("invalid_key")
  await next()
}

/** One hit on the caller's bucket; null when it cannot be reached, because a limiter must not be an outage. */
async function take(ctx: SiteCtx, ip: string): Promise<Budget | null> {
  const { env, key, log, site } = ctx
  const name = key ? `media:${site.id}:${key.id ?? "site"}` : `media-anonymous:${ip}`
  const limit = LIMITS[key?.type ?? "standard"]
  try {
    return await callDurable<RateLimitBucket, Budget>(env.RATE_LIMIT, name, (bucket) => bucket.take(limit))
  } catch (cause) {
    log.error("a rate-limit bucket could not be reached", cause)
    return null
  }
}
