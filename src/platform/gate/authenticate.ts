// Authenticates control-plane requests by API key, and checks the key's scopes.
import { eq, getTableColumns, sql } from "drizzle-orm"
import type { Context } from "hono"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { type IdempotencyRecord, idempotencyRecordId, selectIdempotencyRecord } from "../../core/write/idempotency"
import { recordLastUsed } from "../../core/write/last-used"
import { batch, read } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { type ApiKey, apiKeys } from "../../db/schema/central/keys"
import { stores } from "../../db/schema/central/stores"
import { update } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { findMissingScope, getAction } from "../keys/scopes"

/** Returns the presented credential: a bearer token, else the X-API-KEY header, else null. */
export function readToken(c: Context): string | null {
  const [, bearer = ""] = /^Bearer(?:\s(.*))?$/i.exec(c.req.header("Authorization") ?? "") ?? []
  return bearer.trim() || c.req.header("X-API-KEY")?.trim() || null
}

/** `tnk_<8>_<40>` in base 62; anything else cannot be a key and is refused without a database query. */
const KEY_PATTERN = /^tnk_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}$/

/** Hashes a credential with SHA-256, in hex; null for one that cannot be a key. */
export const hashKey = async (token: string | null): Promise<string | null> =>
  token !== null && KEY_PATTERN.test(token) ? sha256(token) : null

/** A key, with the store that the request's path names. */
export interface RequestKey extends ApiKey {
  /** The current incarnation of that store; null without one, and for a key that is not limited to stores. */
  readonly pathStoreSeq: number | null
}

/** The subquery runs only for a key that is limited to stores, so it costs other keys nothing. */
const keyByHash = prepareRead<RequestKey, { hash: string; store: string | null }>((db) =>
  db
    .select({
      ...getTableColumns(apiKeys),
      pathStoreSeq: sql<number | null>`case when ${apiKeys.storeSeqs} is null then null
        else (select ${stores.seq} from ${stores} where ${stores.id} = ${param("store")}) end`.as("path_store_seq"),
    })
    .from(apiKeys)
    .where(eq(apiKeys.hash, param("hash"))),
)

const STORE_PATH = /^\/stores\/([^/]+)/

/** Returns the store id in a path below the base of the API; null without one. */
export function findPathStore(path: string): string | null {
  const [, id] = STORE_PATH.exec(path) ?? []
  try {
    return id === undefined ? null : decodeURIComponent(id)
  } catch {
    return null
  }
}

/** Returns the idempotency key of a write; null for reads, and without one. */
export const readIdempotencyKey = (c: Context): string | null =>
  getAction(c.req.method) === "write" ? (c.req.header("Idempotency-Key") ?? null) : null

/**
 * Looks up the API key of a credential, and the record of the request's idempotency key. Runs in parallel with the
 * rate-limit check, so it costs no additional round trip; it refuses nothing, `requireUsableKey` does.
 * @param hash of the credential; null for one that cannot be a key, which is not looked up
 * @param store the id in the request's path
 */
export async function findKey(
  ctx: Pick<Ctx, "db">,
  hash: string | null,
  idempotencyKey: string | null,
  store: string | null,
): Promise<{ key?: RequestKey; idempotencyRecord?: IdempotencyRecord }> {
  if (hash === null) return {}
  if (idempotencyKey === null) {
    const [key] = await read(ctx.db, keyByHash({ hash, store }))
    return { key }
  }
  const id = await idempotencyRecordId(hash, idempotencyKey)
  const [[key], [record]] = await batch(ctx.db, [keyByHash({ hash, store }), selectIdempotencyRecord({ id })])
  return { key, idempotencyRecord: record }
}

/**
 * Asserts that the presented key is valid.
 * @returns the key
 * @throws Refusal `unauthenticated`, `invalid_key`, `key_revoked`, `key_expired`, in that order
 */
export function requireUsableKey(token: string | null, key: RequestKey | undefined, now: Date): RequestKey {
  if (token === null) throw new Refusal("unauthenticated")
  if (!key) throw new Refusal("invalid_key")
  if (key.revokedAt) throw new Refusal("key_revoked")
  if (key.expiresAt && key.expiresAt <= now) throw new Refusal("key_expired")
  return key
}

/**
 * Asserts that a key has a scope for a request, and may access the store in its path.
 * @param path below the base of the API
 * @throws Refusal `insufficient_scope`; `not_found` for a store that the key is not limited to
 */
export function authorize(key: RequestKey, method: string, path: string): void {
  const scope = findMissingScope(key, method, path)
  if (scope) throw new Refusal("insufficient_scope", { scope })
  if (key.storeSeqs === null || findPathStore(path) === null) return
  if (key.pathStoreSeq === null || !key.storeSeqs.includes(key.pathStoreSeq)) throw new Refusal("not_found")
}

/** Records when and from where a key was used. */
export const recordKeyUse = (ctx: Ctx, key: ApiKey): void =>
  recordLastUsed(ctx, key.lastUsedAt, () =>
    update(apiKeys).set({ lastUsedAt: ctx.now, lastUsedFrom: ctx.address }).where(eq(apiKeys.id, key.id)),
  )
