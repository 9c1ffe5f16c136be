// The license manager's API keys: issued, listed, revoked by an operator. A key itself is shown once, when it is made.
import { desc, eq } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/refusal"
import { licenseKeys } from "../../db/schema/central/licenses"
import { randomBase62, sha256 } from "../../lib/hash"
import { type CreateLicenseKey, foreignScope } from "./schemas"

export type LicenseKey = typeof licenseKeys.$inferSelect

/** Characters of a key that are kept to tell it by. */
const PREFIX = 12

/**
 * Issues a key, `lme_<8>_<40>` or `lmi_<8>_<40>`, or takes one that clients in the field already carry.
 * @returns the stored row and the key's plaintext, which is nowhere else
 * @throws Refusal `validation_failed` for an expiry that has passed, a scope of the other type, a key that is there already
 */
export async function createLicenseKey(
  ctx: Ctx,
  input: z.output<typeof CreateLicenseKey>,
): Promise<{ key: LicenseKey; plaintext: string }> {
  if (input.expires && input.expires <= ctx.now) throw invalid("expires", "date")
  if (foreignScope(input.type, input.scopes ?? [])) throw invalid("scopes", "selected")
  const plaintext = input.key ?? `lm${input.type[0]}_${randomBase62(8)}_${randomBase62(40)}`
  const [key] = await ctx.db
    .insert(licenseKeys)
    .values({
      type: input.type,
      name: input.name,
      // Of a short key that somebody else made, most must stay unknown.
      prefix: plaintext.slice(0, Math.min(PREFIX, plaintext.length / 4)),
      hash: await sha256(plaintext),
      scopes: input.scopes?.length ? [...new Set(input.scopes)] : null,
      createdByName: ctx.actor.name,
      expiresAt: input.expires ?? null,
      createdAt: ctx.now,
    })
    .onConflictDoNothing()
    .returning()
  if (!key) throw invalid("key", "taken")
  return { key, plaintext }
}

/** Every key, the newest first. */
export const listLicenseKeys = (ctx: Ctx): Promise<LicenseKey[]> =>
  ctx.db.select().from(licenseKeys).orderBy(desc(licenseKeys.id))

/**
 * Revokes a key; from the next request on it is refused. A second time changes nothing.
 * @throws Refusal `not_found`
 */
export async function revokeLicenseKey(ctx: Ctx, id: number): Promise<LicenseKey> {
  const [key] = await ctx.db.select().from(licenseKeys).where(eq(licenseKeys.id, id))
  if (!key) throw new Refusal("not_found")
  if (key.revokedAt) return key
  await ctx.db.update(licenseKeys).set({ revokedAt: ctx.now }).where(eq(licenseKeys.id, id))
  return { ...key, revokedAt: ctx.now }
}
