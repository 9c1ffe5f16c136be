// Issues, lists and revokes the license manager's API keys. The plain-text key is returned once, on creation.
import { and, desc, eq, isNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { ALL_ROWS, type Slice } from "../../core/list/page"
import { applyChange, commit, WriteConflict } from "../../core/write/commit"
import { recordLastUsed } from "../../core/write/last-used"
import { read } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { licenseKeys } from "../../db/schema/central/licenses"
import { insert, update } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { formatTimestamp } from "../../lib/time"
import { invalidateCachedKeys } from "./key-cache"
import { type CreateLicenseKey, findInvalidScope } from "./schemas"

export type LicenseKey = typeof licenseKeys.$inferSelect

/** Characters of a key that are stored in plain text to identify it. */
const PREFIX_LENGTH = 12

/**
 * Issues a key, `lme_<8>_<40>` or `lmi_<8>_<40>`, or imports one that deployed clients already use.
 * @returns the stored row and the plain-text key, which is not stored
 * @throws Refusal `validation_failed` for an expiry in the past, a scope of the other type, or a key that exists
 *   already
 */
export async function createLicenseKey(
  ctx: Ctx,
  input: Input<typeof CreateLicenseKey>,
): Promise<{ key: LicenseKey; plaintext: string }> {
  const { expires, type: keyType, scopes = [] } = input.valid
  const fields = await input
    .with({
      expires: expires && expires <= ctx.now ? "date" : null,
      scopes: keyType && findInvalidScope(keyType, scopes) ? "selected" : null,
    })
    .completeBeforeCommit(async ({ key }) => ({ key: key && (await keyExists(ctx, key)) ? "taken" : null }))
  const plaintext = fields.key ?? `lm${fields.type[0]}_${randomBase62(8)}_${randomBase62(40)}`
  const row = {
    type: fields.type,
    name: fields.name,
    // An imported key may be short; most of it must stay secret.
    prefix: plaintext.slice(0, Math.min(PREFIX_LENGTH, plaintext.length / 4)),
    scopes: scopes.length ? [...new Set(scopes)] : null,
  }
  const hash = await sha256(plaintext)
  const expiresAt = expires ?? null
  const id = ctx.db.select({ id: licenseKeys.id }).from(licenseKeys).where(eq(licenseKeys.hash, hash))
  const after = { ...row, expires_at: formatTimestamp(expiresAt) }
  const [[key]] = await commit(ctx, {
    writes: [
      insert(licenseKeys)
        .values({ ...row, hash, expiresAt, createdByName: ctx.actor.name, createdAt: ctx.now })
        .returning(),
    ],
    auditLog: [{ audit: { subject: "license_key", action: "issued", id: sql`${id}`, after } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("key", "taken") : cause
  })
  if (!key) throw new Error("the key was not stored")
  return { key, plaintext }
}

const keyExists = async (ctx: Ctx, plaintext: string): Promise<boolean> =>
  (await read(ctx.db, selectLicenseKeyByHash({ hash: await sha256(plaintext) }))).length > 0

/** Prepared query for a key by its hash. */
export const selectLicenseKeyByHash = prepareRead<LicenseKey, { hash: string }>((db) =>
  db
    .select()
    .from(licenseKeys)
    .where(eq(licenseKeys.hash, param("hash"))),
)

/** Records when a key was last used. */
export const recordKeyUse = (ctx: Ctx, key: LicenseKey): void =>
  recordLastUsed(ctx, key.lastUsedAt, () =>
    update(licenseKeys).set({ lastUsedAt: ctx.now }).where(eq(licenseKeys.id, key.id)),
  )

/** Lists keys, newest first. */
export const listLicenseKeys = (ctx: Ctx, { limit, offset }: Slice = ALL_ROWS): Promise<LicenseKey[]> =>
  ctx.db.select().from(licenseKeys).orderBy(desc(licenseKeys.id)).limit(limit).offset(offset)

/**
 * Revokes a key. It is rejected from the next request on, except by other isolates, where it may verify licenses for a
 * few more seconds (key-cache.ts). Idempotent.
 * @throws Refusal `not_found`
 */
export async function revokeLicenseKey(ctx: Ctx, id: number): Promise<LicenseKey> {
  const revoked = await applyChange(
    ctx,
    async () => ctx.db.select().from(licenseKeys).where(eq(licenseKeys.id, id)),
    ([key]) => {
      if (!key) throw new Refusal("not_found")
      if (key.revokedAt) return { result: key }
      const before = { type: key.type, name: key.name, prefix: key.prefix }
      return {
        result: { ...key, revokedAt: ctx.now },
        change: {
          guard: update(licenseKeys)
            .set({ revokedAt: ctx.now })
            .where(and(eq(licenseKeys.id, id), isNull(licenseKeys.revokedAt))),
          auditLog: [{ audit: { subject: "license_key", action: "revoked", id, before } }],
        },
      }
    },
  )
  invalidateCachedKeys()
  return revoked
}
