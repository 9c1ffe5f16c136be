// The license manager's API keys: issued, listed, revoked by an operator. A key itself is shown once, when it is made.
import { and, desc, eq, isNull, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { type Slice, WHOLE } from "../../core/list/page"
import { change, commit, WriteConflict } from "../../core/write/commit"
import { touch } from "../../core/write/touch"
import { compiled, given } from "../../db/prepared"
import { licenseKeys } from "../../db/schema/central/licenses"
import { insert, update } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { timestamp } from "../../lib/time"
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
  const row = {
    type: input.type,
    name: input.name,
    // Of a short key that somebody else made, most must stay unknown.
    prefix: plaintext.slice(0, Math.min(PREFIX, plaintext.length / 4)),
    scopes: input.scopes?.length ? [...new Set(input.scopes)] : null,
  }
  const hash = await sha256(plaintext)
  const expiresAt = input.expires ?? null
  const id = ctx.db.select({ id: licenseKeys.id }).from(licenseKeys).where(eq(licenseKeys.hash, hash))
  const after = { ...row, expires_at: timestamp(expiresAt) }
  const [[key]] = await commit(ctx, {
    writes: [
      insert(licenseKeys)
        .values({ ...row, hash, expiresAt, createdByName: ctx.actor.name, createdAt: ctx.now })
        .returning(),
    ],
    trail: [{ audit: { subject: "license_key", deed: "issued", id: sql`${id}`, after } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? invalid("key", "taken") : cause
  })
  if (!key) throw new Error("the key was not stored")
  return { key, plaintext }
}

/** The statement that reads the key of a hash. */
export const licenseKeyByHash = compiled<LicenseKey, { hash: string }>((db) =>
  db
    .select()
    .from(licenseKeys)
    .where(eq(licenseKeys.hash, given("hash"))),
)

/** Notes when a key was used. */
export const noteUse = (ctx: Ctx, key: LicenseKey): void =>
  touch(ctx, key.lastUsedAt, () => update(licenseKeys).set({ lastUsedAt: ctx.now }).where(eq(licenseKeys.id, key.id)))

/** Every key, or a slice of them, the newest first. */
export const listLicenseKeys = (ctx: Ctx, { limit, offset }: Slice = WHOLE): Promise<LicenseKey[]> =>
  ctx.db.select().from(licenseKeys).orderBy(desc(licenseKeys.id)).limit(limit).offset(offset)

/**
 * Revokes a key; from the next request on it is refused. A second time changes nothing.
 * @throws Refusal `not_found`
 */
export const revokeLicenseKey = (ctx: Ctx, id: number): Promise<LicenseKey> =>
  change(
    ctx,
    async () => ctx.db.select().from(licenseKeys).where(eq(licenseKeys.id, id)),
    ([key]) => {
      if (!key) throw new Refusal("not_found")
      if (key.revokedAt) return { answer: key }
      const before = { type: key.type, name: key.name, prefix: key.prefix }
      return {
        answer: { ...key, revokedAt: ctx.now },
        change: {
          guard: update(licenseKeys)
            .set({ revokedAt: ctx.now })
            .where(and(eq(licenseKeys.id, id), isNull(licenseKeys.revokedAt))),
          trail: [{ audit: { subject: "license_key", deed: "revoked", id, before } }],
        },
      }
    },
  )
