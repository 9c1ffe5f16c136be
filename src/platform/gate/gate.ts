// Gate of every control-plane request. It checks in this order: central host, kill switch, rate limits, key, scope;
// only then whether the route exists.

import type { MiddlewareHandler } from "hono"
import { hostOf } from "../../core/http/host"
import { clientAddress } from "../../core/http/http"
import type { PlatformEnv } from "../../core/http/platform-env"
import { assertNotRefused, rateLimitHeaders, takeTokens } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { afterSlowBody } from "../../core/http/slow-body"
import { requestContext } from "../../core/http/surface"
import { settingsOf } from "../../env"
import { currentTime } from "../../lib/clock"
import {
  authorize,
  findKey,
  findPathStore,
  hashKey,
  readIdempotencyKey,
  readToken,
  recordKeyUse,
  requireUsableKey,
} from "./authenticate"
import { buildLimits } from "./throttle"

/** The path of the control plane. */
export const BASE_PATH = "/api/platform/v1"

/**
 * The gate's middleware. The key is looked up in parallel with the rate-limit check, whose refusal takes precedence.
 */
export const gate: MiddlewareHandler<PlatformEnv> = async (c, next) => {
  const settings = settingsOf(c.env)
  if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found", { central: settings.CENTRAL_DOMAIN })
  if (!settings.TENANCY_API_ENABLED) throw new Refusal("api_disabled")
  const token = readToken(c)
  const keyHash = await hashKey(token)
  const limits = buildLimits(settings, { keyHash, ip: clientAddress(c) })
  assertNotRefused(c.env, limits)
  const anonymous = requestContext(c)
  const path = c.req.path.slice(BASE_PATH.length)
  const store = findPathStore(path)
  const lookup = findKey(anonymous, keyHash, readIdempotencyKey(c), store)
  // A failed lookup is reported only after the rate-limit check.
  lookup.catch(() => undefined)
  c.set("rateLimit", rateLimitHeaders(await takeTokens(c.env, c.var.log, limits)))
  const lookupResult = await lookup
  const key = requireUsableKey(token, lookupResult.key, anonymous.now)
  authorize(key, c.req.method, path)
  const ctx = {
    ...anonymous,
    actor: { type: "api_key" as const, id: key.id, name: key.name },
    ...(store !== null && key.pathStoreSeq !== null && { pinned: { id: store, seq: key.pathStoreSeq } }),
    bodyArrived: afterSlowBody(anonymous.now, async () => {
      const current = await findKey(anonymous, keyHash, null, store)
      authorize(requireUsableKey(token, current.key, currentTime()), c.req.method, path)
    }),
  }
  recordKeyUse(ctx, key)
  c.set("key", key)
  c.set("idempotencyRecord", lookupResult.idempotencyRecord)
  c.set("ctx", ctx)
  await next()
}
