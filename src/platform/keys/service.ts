// Issues, lists and revokes API keys. The plaintext key is returned once, when it is issued; only its hash is stored.
import { and, desc, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { ALL_ROWS, type Slice } from "../../core/list/page"
import { commit } from "../../core/write/commit"
import { type ApiKey, apiKeys } from "../../db/schema/central/keys"
import { insert, update } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { isKeyExpiring } from "../attention/conditions"
import type { CreateKey } from "./schemas"

/**
 * Issues a key of the form `tnk_<8>_<40>`.
 * @returns the stored row, and the plaintext key
 * @throws Refusal `validation_failed` for an expiry in the past
 */
export async function createKey(ctx: Ctx, input: Input<typeof CreateKey>): Promise<{ key: ApiKey; plaintext: string }> {
  const { name, scopes, expires } = input.complete({
    expires: input.valid.expires && input.valid.expires <= ctx.now ? "date" : null,
  })
  const keyPrefix = `tnk_${randomBase62(8)}`
  const plaintext = `${keyPrefix}_${randomBase62(40)}`
  const hash = await sha256(plaintext)
  const [[key]] = await commit(ctx, {
    writes: [
      insert(apiKeys)
        .values({
          name,
          keyPrefix,
          hash,
          scopes,
          createdByName: ctx.actor.name,
          expiresAt: expires ?? null,
          createdAt: ctx.now,
        })
        .returning(),
    ],
    auditLog: [
      {
        audit: {
          subject: "api_key",
          action: "issued",
          id: selectKeyId(hash),
          after: {
            name,
            key_prefix: keyPrefix,
            scopes,
            expires_at: expires?.toISOString() ?? null,
          },
        },
      },
    ],
  })
  if (!key) throw new Error("the key was not stored")
  return { key, plaintext }
}

/** The id of the key with this hash, for use in the batch that inserts it. */
const selectKeyId = (hash: string) => sql`(select ${apiKeys.id} from ${apiKeys} where ${apiKeys.hash} = ${hash})`

/**
 * Lists the keys, newest first.
 * @param within only keys that expire within so many days
 * @param id only this key
 */
export const listKeys = (
  ctx: Ctx,
  { within, id }: { within?: number; id?: number } = {},
  { limit, offset }: Slice = ALL_ROWS,
): Promise<ApiKey[]> =>
  ctx.db
    .select()
    .from(apiKeys)
    .where(
      and(
        within === undefined ? undefined : isKeyExpiring(ctx, within),
        id === undefined ? undefined : eq(apiKeys.id, id),
      ),
    )
    .orderBy(desc(apiKeys.id))
    .limit(limit)
    .offset(offset)

/**
 * Revokes a key, effective from the next request. Idempotent.
 * @throws Refusal `not_found`
 */
export async function revokeKey(ctx: Ctx, id: number): Promise<ApiKey> {
  const [key] = await ctx.db.select().from(apiKeys).where(eq(apiKeys.id, id))
  if (!key) throw new Refusal("not_found")
  if (key.revokedAt) return key
  await commit(ctx, {
    writes: [update(apiKeys).set({ revokedAt: ctx.now }).where(eq(apiKeys.id, id))],
    auditLog: [
      { audit: { subject: "api_key", action: "revoked", id, before: { name: key.name, key_prefix: key.keyPrefix } } },
    ],
  })
  return { ...key, revokedAt: ctx.now }
}
