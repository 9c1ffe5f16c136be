// Every control-plane request passes here, whatever its verb and path, in this order: central host, kill switch,
// throttling, key, scope. Only then is it asked whether the path exists.
import type { MiddlewareHandler } from "hono"
import { hostOf } from "../../core/http/host"
import { clientIp } from "../../core/http/http"
import type { PlatformEnv } from "../../core/http/platform-env"
import { assertNotRefused, budgetHeaders, spend } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { afterSlowBody } from "../../core/http/slow-body"
import { requestContext } from "../../core/http/surface"
import { settingsOf } from "../../env"
import {
  authorize,
  findKey,
  keyHashOf,
  noteUse,
  presentedIdempotencyKey,
  presentedToken,
  usableKey,
} from "./authenticate"
import { limitsOf } from "./throttle"

/** The gate itself. The key is looked up while the budgets are asked; what the budgets say comes first. */
export const gate: MiddlewareHandler<PlatformEnv> = async (c, next) => {
  const settings = settingsOf(c.env)
  if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
  if (!settings.TENANCY_API_ENABLED) throw new Refusal("api_disabled")
  const token = presentedToken(c)
  const keyHash = await keyHashOf(token)
  const limits = limitsOf(settings, { keyHash, ip: clientIp(c) })
  assertNotRefused(c.env, limits)
  const visitor = requestContext(c)
  const lookup = findKey(visitor, keyHash, presentedIdempotencyKey(c))
  // A look-up that fails is heard once the budgets have been asked.
  lookup.catch(() => undefined)
  c.set("rateLimit", budgetHeaders(await spend(c.env, c.var.log, limits)))
  const found = await lookup
  const key = usableKey(token, found.key, visitor.now)
  authorize(key, c.req.method)
  const ctx = {
    ...visitor,
    actor: { type: "api_key" as const, id: key.id, name: key.name },
    bodyArrived: afterSlowBody(visitor.now, async () => {
      const again = await findKey(visitor, keyHash, null)
      authorize(usableKey(token, again.key, new Date()), c.req.method)
    }),
  }
  noteUse(ctx, key)
  c.set("key", key)
  c.set("mark", found.mark)
  c.set("ctx", ctx)
  await next()
}
