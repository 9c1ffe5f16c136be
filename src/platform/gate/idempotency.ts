// `Idempotency-Key` on control-plane writes.
import type { MiddlewareHandler } from "hono"
import { claim, type KeyedRequest, keep, markCommitted } from "../../core/idempotency"
import type { PlatformEnv } from "../types"
import { presentedToken, scopeOf } from "./authenticate"

/** Carries a write out once a key, and replays its answer with `Idempotent-Replayed: true`. */
export const idempotency: MiddlewareHandler<PlatformEnv> = async (c, next) => {
  const key = c.req.header("Idempotency-Key")
  if (key === undefined || scopeOf(c.req.method) === "read") return next()
  const { ctx } = c.var
  const { pathname, search } = new URL(c.req.url)
  const request: KeyedRequest = {
    caller: c.var.key.hash,
    secret: presentedToken(c) ?? "",
    key,
    method: c.req.method,
    path: pathname + search,
    body: await c.req.text(),
  }
  const kept = await claim(ctx, request)
  if (kept) {
    return new Response(kept.body || null, {
      status: kept.status,
      headers: { ...kept.headers, "Idempotent-Replayed": "true" },
    })
  }
  c.set("ctx", { ...ctx, withCommit: () => [markCommitted(ctx, request)] })
  await next()
  const type = c.res.headers.get("Content-Type")
  const body = await c.res.clone().text()
  await keep(ctx, request, { status: c.res.status, headers: type ? { "Content-Type": type } : {}, body })
}
