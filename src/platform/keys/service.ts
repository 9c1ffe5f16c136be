// API keys: issued, listed, revoked by an operator. The key itself is shown once, when it is made.
import { desc, eq } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/refusal"
import { apiKeys } from "../../db/schema/central/keys"
import { randomBase62, sha256 } from "../../lib/hash"
import type { CreateKey } from "./schemas"

export type ApiKey = typeof apiKeys.$inferSelect

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
  const [key] = await ctx.db
    .insert(apiKeys)
    .values({
      name: input.name,
      keyPrefix,
      hash: await sha256(plaintext),
      scopes: input.scopes,
      createdByName: ctx.actor.name,
      expiresAt: input.expires ?? null,
      createdAt: ctx.now,
    })
    .returning()
  if (!key) throw new Error("the key was not stored")
  return { key, plaintext }
}

/** Every key, the newest first. */
export const listKeys = (ctx: Ctx): Promise<ApiKey[]> => ctx.db.select().from(apiKeys).orderBy(desc(apiKeys.id))

/**
 * Revokes a key; from the next request on it is refused. A second time changes nothing.
 * @throws Refusal `not_found`
 */
export async function revokeKey(ctx: Ctx, id: number): Promise<ApiKey> {
  const [key] = await ctx.db.select().from(apiKeys).where(eq(apiKeys.id, id))
  if (!key) throw new Refusal("not_found")
  if (key.revokedAt) return key
  await ctx.db.update(apiKeys).set({ revokedAt: ctx.now }).where(eq(apiKeys.id, id))
  return { ...key, revokedAt: ctx.now }
}
