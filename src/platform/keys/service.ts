// API keys: issued, listed, revoked by an operator. The key itself is shown once, when it is made.
import { and, desc, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { type Slice, WHOLE } from "../../core/list/page"
import { commit } from "../../core/write/commit"
import { type ApiKey, apiKeys } from "../../db/schema/central/keys"
import { insert, update } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { expiresWithin } from "../attention/conditions"
import type { CreateKey } from "./schemas"

/**
 * Issues a key, `tnk_<8>_<40>`.
 * @returns the stored row and the key's plaintext, which is nowhere else
 * @throws Refusal `validation_failed` for an expiry that has passed
 */
export async function createKey(
  ctx: Ctx,
  input: z.output<typeof CreateKey>,
): Promise<{ key: ApiKey; plaintext: string }> {
  if (input.expires && input.expires <= ctx.now) throw invalid("expires", "date")
  const keyPrefix = `tnk_${randomBase62(8)}`
  const plaintext = `${keyPrefix}_${randomBase62(40)}`
  const hash = await sha256(plaintext)
  const [[key]] = await commit(ctx, {
    writes: [
      insert(apiKeys)
        .values({
          name: input.name,
          keyPrefix,
          hash,
          scopes: input.scopes,
          createdByName: ctx.actor.name,
          expiresAt: input.expires ?? null,
          createdAt: ctx.now,
        })
        .returning(),
    ],
    trail: [
      {
        audit: {
          subject: "api_key",
          deed: "issued",
          id: idOf(hash),
          after: {
            name: input.name,
            key_prefix: keyPrefix,
            scopes: input.scopes,
            expires_at: input.expires?.toISOString() ?? null,
          },
        },
      },
    ],
  })
  if (!key) throw new Error("the key was not stored")
  return { key, plaintext }
}

/** The id of the key that the same batch stores. */
const idOf = (hash: string) => sql`(select ${apiKeys.id} from ${apiKeys} where ${apiKeys.hash} = ${hash})`

/**
 * Every key, or a slice of them, the newest first.
 * @param within only those that stop working within so many days
 * @param id only that one
 */
export const listKeys = (
  ctx: Ctx,
  { within, id }: { within?: number; id?: number } = {},
  { limit, offset }: Slice = WHOLE,
): Promise<ApiKey[]> =>
  ctx.db
    .select()
    .from(apiKeys)
    .where(
      and(
        within === undefined ? undefined : expiresWithin(ctx, within),
        id === undefined ? undefined : eq(apiKeys.id, id),
      ),
    )
    .orderBy(desc(apiKeys.id))
    .limit(limit)
    .offset(offset)

/**
 * Revokes a key; from the next request on it is refused. A second time changes nothing.
 * @throws Refusal `not_found`
 */
export async function revokeKey(ctx: Ctx, id: number): Promise<ApiKey> {
  const [key] = await ctx.db.select().from(apiKeys).where(eq(apiKeys.id, id))
  if (!key) throw new Refusal("not_found")
  if (key.revokedAt) return key
  await commit(ctx, {
    writes: [update(apiKeys).set({ revokedAt: ctx.now }).where(eq(apiKeys.id, id))],
    trail: [
      { audit: { subject: "api_key", deed: "revoked", id, before: { name: key.name, key_prefix: key.keyPrefix } } },
    ],
  })
  return { ...key, revokedAt: ctx.now }
}
