// A site's API settings, its API key and its named server tokens, as an operator manages them. Plaintexts are shown once.
import { and, desc, eq } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/refusal"
import { serverTokens, siteSettings } from "../../db/schema/central/sites"
import { stores } from "../../db/schema/central/stores"
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
  return save(ctx, siteId, {
    ...(input.api !== undefined && { apiEnabled: input.api }),
    ...(input["require-key"] !== undefined && { keyRequired: input["require-key"] }),
    ...(input["email-verification"] !== undefined && { emailVerification: input["email-verification"] }),
    ...(input.language !== undefined && { language: input.language }),
  })
}

/**
 * Makes a new API key, `tna_<8>_<40>`, and cuts off whoever has the old one; users stay logged in.
 * @returns the key's plaintext, which is nowhere else
 * @throws Refusal `validation_failed` about `site` for an id that is no site's
 */
export async function regenerateApiKey(ctx: Ctx, siteId: string): Promise<string> {
  await assertSite(ctx, siteId)
  const { prefix, plaintext, hash } = await newKey("tna")
  await save(ctx, siteId, { apiKeyPrefix: prefix, apiKeyHash: hash })
  return plaintext
}

async function save(ctx: Ctx, siteId: string, values: Partial<SiteSettings>): Promise<SiteSettings> {
  const changed = { ...values, updatedAt: ctx.now }
  const [row] = await ctx.db
    .insert(siteSettings)
    .values({ ...defaults(siteId, ctx.now), ...changed })
    .onConflictDoUpdate({ target: siteSettings.siteId, set: changed })
    .returning()
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
  const [token] = await ctx.db
    .insert(serverTokens)
    .values({ siteId, ...input, prefix, hash, createdByName: ctx.actor.name, createdAt: ctx.now })
    .returning()
  if (!token) throw new Error("the token was not stored")
  return { token, plaintext }
}

/** A site's server tokens, the newest first. */
export const listServerTokens = (ctx: Ctx, siteId: string): Promise<ServerToken[]> =>
  ctx.db.select().from(serverTokens).where(eq(serverTokens.siteId, siteId)).orderBy(desc(serverTokens.id))

/**
 * Deletes a server token; from the next request on it is no good.
 * @returns the token that was
 * @throws Refusal `not_found`
 */
export async function revokeServerToken(ctx: Ctx, siteId: string, id: number): Promise<ServerToken> {
  const [token] = await ctx.db
    .delete(serverTokens)
    .where(and(eq(serverTokens.siteId, siteId), eq(serverTokens.id, id)))
    .returning()
  if (!token) throw new Refusal("not_found")
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
