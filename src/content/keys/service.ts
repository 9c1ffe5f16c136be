// A site's API settings, its API key and its named server tokens, as an operator manages them. Plaintexts are shown once.
import { and, desc, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { SiteAudit } from "../../core/audit"
import { commit, LostRace } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { type Slice, WHOLE } from "../../core/page"
import { invalid, Refusal } from "../../core/refusal"
import { serverTokens, siteSettings } from "../../db/schema/central/sites"
import { stores } from "../../db/schema/central/stores"
import { insert, remove } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { CENTRAL_SITE } from "../site"
import type { CreateServerToken, UpdateSiteSettings } from "./schemas"

export type SiteSettings = typeof siteSettings.$inferSelect
export type ServerToken = typeof serverTokens.$inferSelect

/** What a site that was never set up has. */
const defaults = (siteId: string, now: Date): SiteSettings => ({
  siteId,
  apiEnabled: true,
  keyRequired: false,
  apiKeyPrefix: null,
  apiKeyHash: null,
  emailVerification: false,
  keyWritesMedia: null,
  language: null,
  updatedAt: now,
})

/** @throws Refusal `validation_failed` about `site` for an id that is no site's */
export async function readSiteSettings(ctx: Ctx, siteId: string): Promise<SiteSettings> {
  await assertSite(ctx, siteId)
  const [row] = await ctx.db.select().from(siteSettings).where(eq(siteSettings.siteId, siteId))
  return row ?? defaults(siteId, ctx.now)
}

/**
 * Changes what is given.
 * @throws Refusal `validation_failed` about `site` for an id that is no site's, about `require-key` when there is no key to ask for
 */
export async function updateSiteSettings(
  ctx: Ctx,
  siteId: string,
  input: z.output<typeof UpdateSiteSettings>,
): Promise<SiteSettings> {
  const current = await readSiteSettings(ctx, siteId)
  if (input["require-key"] && !current.apiKeyHash) throw invalid("require-key", "prohibited")
  const values = {
    ...(input.api !== undefined && { apiEnabled: input.api }),
    ...(input["require-key"] !== undefined && { keyRequired: input["require-key"] }),
    ...(input["email-verification"] !== undefined && { emailVerification: input["email-verification"] }),
    ...(input.language !== undefined && { language: input.language }),
    ...(input["media-key-writes"] !== undefined && { keyWritesMedia: input["media-key-writes"] }),
  }
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, current[name as keyof SiteSettings]]))
  return save(ctx, siteId, values, { subject: "site_settings", id: siteId, deed: "changed", before, after: values })
}

/**
 * Replaces a site's API key, `tna_<8>_<40>`. The old key is refused from then on; users stay logged in.
 * @returns the key's plaintext, which is stored nowhere
 * @throws Refusal `validation_failed` about `site` for an id that is no site's; `illegal_transition` when another request replaced the
 *   key meanwhile
 */
export async function regenerateApiKey(ctx: Ctx, siteId: string): Promise<string> {
  const { apiKeyHash } = await readSiteSettings(ctx, siteId)
  const { prefix, plaintext, hash } = await newKey("tna")
  const changed = { apiKeyPrefix: prefix, apiKeyHash: hash, updatedAt: ctx.now }
  try {
    await commit(ctx, {
      guard: insert(siteSettings)
        .values({ ...defaults(siteId, ctx.now), ...changed })
        .onConflictDoUpdate({
          target: siteSettings.siteId,
          set: changed,
          setWhere: sql`${siteSettings.apiKeyHash} is ${apiKeyHash}`,
        }),
      trail: [{ audit: { subject: "site_key", id: siteId, deed: "rotated", siteId, data: { prefix } } }],
    })
  } catch (cause) {
    throw cause instanceof LostRace ? new Refusal("illegal_transition") : cause
  }
  return plaintext
}

async function save(
  ctx: Ctx,
  siteId: string,
  values: Partial<SiteSettings>,
  entry: SiteAudit<"site_settings">,
): Promise<SiteSettings> {
  const changed = { ...values, updatedAt: ctx.now }
  const [[row]] = await commit(ctx, {
    writes: [
      insert(siteSettings)
        .values({ ...defaults(siteId, ctx.now), ...changed })
        .onConflictDoUpdate({ target: siteSettings.siteId, set: changed })
        .returning(),
    ],
    trail: [{ audit: { ...entry, siteId } }],
  })
  if (!row) throw new Error("the settings were not stored")
  return row
}

/**
 * Issues a server token, `tns_<8>_<40>`.
 * @returns the stored row and the token's plaintext, which is nowhere else
 * @throws Refusal `validation_failed` about `site` for an id that is no site's
 */
export async function createServerToken(
  ctx: Ctx,
  siteId: string,
  input: z.output<typeof CreateServerToken>,
): Promise<{ token: ServerToken; plaintext: string }> {
  await assertSite(ctx, siteId)
  const { prefix, plaintext, hash } = await newKey("tns")
  const { name, type } = input
  const [[token]] = await commit(ctx, {
    writes: [
      insert(serverTokens)
        .values({ siteId, ...input, prefix, hash, createdByName: ctx.actor.name, createdAt: ctx.now })
        .returning(),
    ],
    trail: [
      {
        audit: {
          subject: "site_token",
          id: sql`last_insert_rowid()`,
          deed: "issued",
          siteId,
          data: { prefix, name, type },
        },
      },
    ],
  })
  if (!token) throw new Error("the token was not stored")
  return { token, plaintext }
}

/** A site's server tokens, or a slice of them, the newest first. */
export const listServerTokens = (ctx: Ctx, siteId: string, { limit, offset }: Slice = WHOLE): Promise<ServerToken[]> =>
  ctx.db
    .select()
    .from(serverTokens)
    .where(eq(serverTokens.siteId, siteId))
    .orderBy(desc(serverTokens.id))
    .limit(limit)
    .offset(offset)

/**
 * Deletes a server token; from the next request on it is no good.
 * @returns the token that was
 * @throws Refusal `not_found`
 */
export async function revokeServerToken(ctx: Ctx, siteId: string, id: number): Promise<ServerToken> {
  const own = and(eq(serverTokens.siteId, siteId), eq(serverTokens.id, id))
  const [token] = await ctx.db.select().from(serverTokens).where(own)
  if (!token) throw new Refusal("not_found")
  const { name, prefix } = token
  try {
    await commit(ctx, {
      guard: remove(serverTokens).where(own),
      trail: [{ audit: { subject: "site_token", id, deed: "revoked", siteId, data: { prefix, name } } }],
    })
  } catch (cause) {
    if (cause instanceof LostRace) throw new Refusal("not_found")
    throw cause
  }
  return token
}

async function newKey(kind: "tna" | "tns"): Promise<{ prefix: string; plaintext: string; hash: string }> {
  const prefix = `${kind}_${randomBase62(8)}`
  const plaintext = `${prefix}_${randomBase62(40)}`
  return { prefix, plaintext, hash: await sha256(plaintext) }
}

/** @throws Refusal `validation_failed` about `site` */
async function assertSite(ctx: Ctx, siteId: string): Promise<void> {
  if (siteId === CENTRAL_SITE) return
  const found = await ctx.db.select({ id: stores.id }).from(stores).where(eq(stores.id, siteId))
  if (!found.length) throw invalid("site", "selected")
}
