// Who presents a key, and whether the key may do what its request wants.
import { eq } from "drizzle-orm"
import type { Context } from "hono"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { type IdempotencyRecord, markOf } from "../../core/write/idempotency"
import { touch } from "../../core/write/touch"
import { batch, read } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { type ApiKey, apiKeys, type Scope } from "../../db/schema/central/keys"
import { update } from "../../db/write"
import { sha256 } from "../../lib/hash"

/** The presented credential: a bearer token, else the X-API-KEY header, else null. */
export function presentedToken(c: Context): string | null {
  const [, bearer = ""] = /^Bearer(?:\s(.*))?$/i.exec(c.req.header("Authorization") ?? "") ?? []
  return bearer.trim() || c.req.header("X-API-KEY")?.trim() || null
}

/** `tnk_<8>_<40>` in base 62; anything else cannot be a key, and is refused without asking the database. */
const KEY_FORM = /^tnk_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}$/

/** The SHA-256 of a credential, in hex; null for what cannot be a key. */
export const keyHashOf = async (token: string | null): Promise<string | null> =>
  token !== null && KEY_FORM.test(token) ? sha256(token) : null

const keyByHash = compiled<ApiKey, { hash: string }>((db) =>
  db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.hash, given("hash"))),
)

/** The key that a write is made under; null for none, and for a read. */
export const presentedIdempotencyKey = (c: Context): string | null =>
  scopeOf(c.req.method) === "write" ? (c.req.header("Idempotency-Key") ?? null) : null

/**
 * Looks the key behind a credential up, and what stands under the idempotency key that came with it. Asked beside the budgets, so that it
 * costs no trip of its own: it refuses nothing, and `usableKey` does.
 * @param hash of the credential; null for what cannot be a key, about which the database is not asked
 */
export async function findKey(
  ctx: Pick<Ctx, "db">,
  hash: string | null,
  idempotencyKey: string | null,
): Promise<{ key?: ApiKey; mark?: IdempotencyRecord }> {
  if (hash === null) return {}
  if (idempotencyKey === null) {
    const [key] = await read(ctx.db, keyByHash({ hash }))
    return { key }
  }
  const [[key], [mark]] = await batch(ctx.db, [keyByHash({ hash }), markOf({ caller: hash, key: idempotencyKey })])
  return { key, mark }
}

/**
 * Holds a caller to a key that is good.
 * @throws Refusal `unauthenticated`, `invalid_key`, `key_revoked`, `key_expired`, in that order
 */
export function usableKey(token: string | null, key: ApiKey | undefined, now: Date): ApiKey {
  if (token === null) throw new Refusal("unauthenticated")
  if (!key) throw new Refusal("invalid_key")
  if (key.revokedAt) throw new Refusal("key_revoked")
  if (key.expiresAt && key.expiresAt <= now) throw new Refusal("key_expired")
  return key
}

/**
 * Holds a key to its scopes: `read` grants GET, HEAD and OPTIONS, `write` every other verb.
 * @throws Refusal `insufficient_scope`
 */
export function authorize(key: ApiKey, method: string): void {
  const scope = scopeOf(method)
  if (!key.scopes.includes(scope)) throw new Refusal("insufficient_scope", { scope })
}

/** The scope a verb needs. */
const scopeOf = (method: string): Scope => (["GET", "HEAD", "OPTIONS"].includes(method) ? "read" : "write")

/** Notes when and from where a key was used. */
export const noteUse = (ctx: Ctx, key: ApiKey): void =>
  touch(ctx, key.lastUsedAt, () =>
    update(apiKeys).set({ lastUsedAt: ctx.now, lastUsedFrom: ctx.address }).where(eq(apiKeys.id, key.id)),
  )
