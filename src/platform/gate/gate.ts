// Every control-plane request passes here, whatever its verb and path, in this order: central host, kill switch,
// throttling, key, scope. Only then is it asked whether the path exists.
import type { MiddlewareHandler } from "hono"
import { createContext } from "../../core/context"
import { hostOf } from "../../core/host"
import { clientIp } from "../../core/http"
import { Refusal } from "../../core/refusal"
import { settingsOf } from "../../env"
import { refuse, toRefusal } from "../envelope"
import type { PlatformEnv } from "../types"
import { authenticate, authorize, presentedToken, touch } from "./authenticate"
import { throttle } from "./throttle"

/** The gate itself. */
export const gate: MiddlewareHandler<PlatformEnv> = async (c, next) => {
  const settings = settingsOf(c.env)
  if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
  if (!settings.TENANCY_API_ENABLED) throw new Refusal("api_disabled")
  const token = presentedToken(c)
  c.set("rateLimit", await throttle(c.env, settings, c.var.log, { token, ip: clientIp(c) }))
  const visitor = createContext(c.env, (work) => c.executionCtx.waitUntil(work), {
    requestId: c.var.requestId,
    interface: "api",
    address: clientIp(c),
  })
  const key = await authenticate(visitor, token)
  authorize(key, c.req.method)
  const ctx = { ...visitor, actor: { type: "api_key" as const, id: key.id, name: key.name } }
  touch(ctx, key)
  c.set("key", key)
  c.set("ctx", ctx)
  await next()
}

/** Turns what a handler threw into the surface's envelope; what we did not expect goes to the log with its cause. */
export const onError = (thrown: unknown, c: Parameters<MiddlewareHandler<PlatformEnv>>[0]): Response => {
  const refusal = toRefusal(thrown, c.var.requestId)
  if (refusal.code === "server_error") c.var.log.error("unexpected fault", thrown, { path: c.req.path })
  if (refusal.facts.headers) c.set("rateLimit", refusal.facts.headers as Record<string, string>)
  return refuse(c, refusal)
}
