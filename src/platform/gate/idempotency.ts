// `Idempotency-Key` on control-plane writes.
import type { MiddlewareHandler } from "hono"
import { readText } from "../../core/http/body"
import type { PlatformEnv } from "../../core/http/platform-env"
import { Refusal } from "../../core/http/refusal"
import {
  assertValidKey,
  claimKey,
  idempotencyRecordId,
  type KeyedRequest,
  lookupResponse,
  markCommitted,
  nextLockEnd,
  type StoredResponse,
  storeResponse,
} from "../../core/write/idempotency"
import { requestCentralDatabase } from "../../db/client"
import { deferWritesUntil } from "../../db/deferred-writes"
import { readIdempotencyKey, readToken } from "./authenticate"

/** Runs a write once per key, and replays its response with `Idempotent-Replayed: true`. */
export const idempotency: MiddlewareHandler<PlatformEnv> = async (c, next) => {
  const key = readIdempotencyKey(c)
  if (key === null) return next()
  assertValidKey(key)
  const { ctx } = c.var
  const { pathname, search } = new URL(c.req.url)
  const body = await readText(c)
  const caller = c.var.key.hash
  const request: KeyedRequest = {
    id: await idempotencyRecordId(caller, key),
    caller,
    secret: readToken(c) ?? "",
    key,
    method: c.req.method,
    path: pathname + search,
    body,
    storeId: findStoreId(pathname, body),
    lockedUntil: nextLockEnd(),
  }
  const stored = await lookupResponse(ctx, request, c.var.idempotencyRecord)
  if (stored) return replay(stored)
  // Reads run while the key is being claimed; writes wait until it is.
  const claiming = claimKey(ctx, request)
  const db = requestCentralDatabase(c.env)
  deferWritesUntil(db, claiming.then(assertFirst))
  c.set("ctx", { ...ctx, db, withCommit: () => markCommitted(ctx, request) })
  await next()
  const response = c.res
  // The response is discarded unless the key was claimed.
  c.res = undefined
  const existing = await claiming
  if (existing) {
    c.res = replay(existing)
    return
  }
  c.res = response
  const type = c.res.headers.get("Content-Type")
  const headers: Record<string, string> = type ? { "Content-Type": type } : {}
  await storeResponse(ctx, request, { status: c.res.status, headers, body: await c.res.clone().text() })
}

const CREATE_PATH = "/api/platform/v1/stores"

/** Returns the id of the store that a write changes, from its path, or from its body for a new store; null for none. */
function findStoreId(pathname: string, body: string): string | null {
  if (!pathname.startsWith(CREATE_PATH)) return null
  const [, id] = pathname.slice(CREATE_PATH.length).split("/")
  try {
    if (id) return decodeURIComponent(id)
    const { subdomain } = JSON.parse(body)
    return typeof subdomain === "string" ? subdomain : null
  } catch {
    // Invalid JSON and invalid UTF-8 in the path are refused later.
    return null
  }
}

/** Refuses all writes of this request when another request has the key. */
function assertFirst(existing: StoredResponse | null): void {
  if (existing) throw new Refusal("idempotency_in_progress")
}

const replay = ({ status, headers, body }: StoredResponse): Response =>
  new Response(body || null, { status, headers: { ...headers, "Idempotent-Replayed": "true" } })
