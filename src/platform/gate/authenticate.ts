// Authenticates control-plane requests by API key, and checks the key's scopes.
import { eq } from "drizzle-orm"
import type { Context } from "hono"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { type IdempotencyRecord, idempotencyRecordId, selectIdempotencyRecord } from "../../core/write/idempotency"
import { recordLastUsed } from "../../core/write/last-used"
import { batch, read } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { type ApiKey, apiKeys, type Scope } from "../../db/schema/central/keys"
import { update } from "../../db/write"
import { sha256 } from "../../lib/hash"

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

const keyByHash = prepareRead<ApiKey, { hash: string }>((db) =>
  db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.hash, param("hash"))),
)

/** Returns the idempotency key of a write; null for reads, and without one. */
export const readIdempotencyKey = (c: Context): string | null =>
  getRequiredScope(c.req.method) === "write" ? (c.req.header("Idempotency-Key") ?? null) : null

/**
 * Looks up the API key of a credential, and the record of the request's idempotency key. Runs in parallel with the
 * rate-limit check, so it costs no round trip of its own; it refuses nothing, `requireUsableKey` does.
 * @param hash of the credential; null for one that cannot be a key, which is not looked up
 */
export async function findKey(
  ctx: Pick<Ctx, "db">,
  hash: string | null,
  idempotencyKey: string | null,
): Promise<{ key?: ApiKey; idempotencyRecord?: IdempotencyRecord }> {
  if (hash === null) return {}
  if (idempotencyKey === null) {
    const [key] = await read(ctx.db, keyByHash({ hash }))
    return { key }
  }
  const id = await idempotencyRecordId(hash, idempotencyKey)
  const [[key], [record]] = await batch(ctx.db, [keyByHash({ hash }), selectIdempotencyRecord({ id })])
  return { key, idempotencyRecord: record }
}

/**
 * Asserts that the presented key is valid.
 * @returns the key
 * @throws Refusal `unauthenticated`, `invalid_key`, `key_revoked`, `key_expired`, in that order
 */
export function requireUsableKey(token: string | null, key: ApiKey | undefined, now: Date): ApiKey {
  if (token === null) throw new Refusal("unauthenticated")
  if (!key) throw new Refusal("invalid_key")
  if (key.revokedAt) throw new Refusal("key_revoked")
  if (key.expiresAt && key.expiresAt <= now) throw new Refusal("key_expired")
  return key
}

/**
 * Asserts that a key has the scope of a method: `read` for GET, HEAD and OPTIONS, `write` for all others.
 * @throws Refusal `insufficient_scope`
 */
export function authorize(key: ApiKey, method: string): void {
  const scope = getRequiredScope(method)
  if (!key.scopes.includes(scope)) throw new Refusal("insufficient_scope", { scope })
}

/** The scope that a method requires. */
const getRequiredScope = (method: string): Scope => (["GET", "HEAD", "OPTIONS"].includes(method) ? "read" : "write")

/** Records when and from where a key was used. */
export const recordKeyUse = (ctx: Ctx, key: ApiKey): void =>
  recordLastUsed(ctx, key.lastUsedAt, () =>
    update(apiKeys).set({ lastUsedAt: ctx.now, lastUsedFrom: ctx.address }).where(eq(apiKeys.id, key.id)),
  )
