// `Idempotency-Key` on control-plane writes.
import type { MiddlewareHandler } from "hono"
import { readText } from "../../core/http/body"
import type { PlatformEnv } from "../../core/http/platform-env"
import { Refusal } from "../../core/http/refusal"
import {
  assertKeyForm,
  claim,
  type KeptAnswer,
  type KeyedRequest,
  storeResponse,
  markCommitted,
  lookupResponse,
} from "../../core/write/idempotency"
import { ownCentralDatabase, writeOnlyAfter } from "../../db/client"
import { presentedIdempotencyKey, presentedToken } from "./authenticate"

/** Carries a write out once a key, and replays its answer with `Idempotent-Replayed: true`. */
export const idempotency: MiddlewareHandler<PlatformEnv> = async (c, next) => {
  const key = presentedIdempotencyKey(c)
  if (key === null) return next()
  assertKeyForm(key)
  const { ctx } = c.var
  const { pathname, search } = new URL(c.req.url)
  const body = await readText(c)
  const request: KeyedRequest = {
    caller: c.var.key.hash,
    secret: presentedToken(c) ?? "",
    key,
    method: c.req.method,
    path: pathname + search,
    body,
    storeId: storeOf(pathname, body),
  }
  const known = await lookupResponse(ctx, request, c.var.mark)
  if (known) return replayed(known)
  // Whoever is the first reads while it claims the key, and writes once it has it.
  const claiming = claim(ctx, request)
  const db = ownCentralDatabase(c.env)
  writeOnlyAfter(db, claiming.then(assertFirst))
  c.set("ctx", { ...ctx, db, withCommit: () => [markCommitted(ctx, request)] })
  await next()
  const answered = c.res
  // Whatever came of the reading is nobody's answer, unless the key was claimed.
  c.res = undefined
  const other = await claiming
  if (other) {
    c.res = replayed(other)
    return
  }
  c.res = answered
  const type = c.res.headers.get("Content-Type")
  const headers: Record<string, string> = type ? { "Content-Type": type } : {}
  await storeResponse(ctx, request, { status: c.res.status, headers, body: await c.res.clone().text() })
}

const CREATE_PATH = "/api/platform/v1/stores"

/** The store that a write is about: the one in its path, or the one that its body creates; null for none. */
function storeOf(pathname: string, body: string): string | null {
  if (!pathname.startsWith(CREATE_PATH)) return null
  const [, id] = pathname.slice(CREATE_PATH.length).split("/")
  try {
    if (id) return decodeURIComponent(id)
    const { subdomain } = JSON.parse(body)
    return typeof subdomain === "string" ? subdomain : null
  } catch {
    // A body that is no JSON, or a path that is no UTF-8, is refused behind this.
    return null
  }
}

/** Another request has the key: this one writes nothing. */
function assertFirst(other: KeptAnswer | null): void {
  if (other) throw new Refusal("idempotency_in_progress")
}

const replayed = ({ status, headers, body }: KeptAnswer): Response =>
  new Response(body || null, { status, headers: { ...headers, "Idempotent-Replayed": "true" } })
