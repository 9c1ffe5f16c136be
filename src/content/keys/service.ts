// Manages a site's API settings, its API key and its named server tokens for operators. Plaintext keys are returned
// once and not stored.

import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { invalid, Refusal } from "../../core/http/refusal"
import { ALL_ROWS, type Slice } from "../../core/list/page"
import type { SiteAudit } from "../../core/write/audit"
import { commit, retryOnConflict, WriteConflict } from "../../core/write/commit"
import type { EventDraft } from "../../core/write/events"
import { serverTokens, siteSettings } from "../../db/schema/central/sites"
import { stores } from "../../db/schema/central/stores"
import { insertSelect, remove } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { CENTRAL_SITE } from "../site"
import type { CreateServerToken, UpdateSiteSettings } from "./schemas"

export type SiteSettings = typeof siteSettings.$inferSelect
export type ServerToken = typeof serverTokens.$inferSelect

/** Settings of a site without a settings row. */
const defaultSettings = (siteId: string, now: Date): SiteSettings => ({
  siteId,
  apiEnabled: true,
  keyRequired: false,
  apiKeyPrefix: null,
  apiKeyHash: null,
  emailVerification: false,
  keyWritesMedia: null,
  corsOrigins: null,
  notificationFormat: null,
  language: null,
  updatedAt: now,
})

/**
 * Reads a site's settings, or their defaults.
 * @throws Refusal `validation_failed` about `site` for an unknown site
 */
export async function readSiteSettings(ctx: Ctx, siteId: string): Promise<SiteSettings> {
  await getIncarnation(ctx, siteId)
  return loadSettings(ctx, siteId)
}

interface UpdateOptions {
  buildEvents?: (before: SiteSettings, after: SiteSettings) => EventDraft[]
  assertUnchanged?: ((current: SiteSettings) => void | Promise<void>) | undefined
}

/**
 * Updates only the fields that the input contains.
 * @param options `buildEvents` builds the events of the change; `assertUnchanged` throws for settings that changed since
 *   the caller read them
 * @throws Refusal `validation_failed` about `site` for an unknown site, about `require-key` when the site has no API key
 */
export async function updateSiteSettings(
  ctx: Ctx,
  siteId: string,
  update: Input<typeof UpdateSiteSettings>,
  { buildEvents, assertUnchanged }: UpdateOptions = {},
): Promise<SiteSettings> {
  const seq = await getIncarnation(ctx, siteId)
  return retryOnConflict(async () => {
    const current = await loadSettings(ctx, siteId)
    await assertUnchanged?.(current)
    const isKeyMissing = update.valid["require-key"] && !current.apiKeyHash
    const input = update.complete({ "require-key": isKeyMissing ? "prohibited" : null })
    const values = {
      ...(input.api !== undefined && { apiEnabled: input.api }),
      ...(input["require-key"] !== undefined && { keyRequired: input["require-key"] }),
      ...(input["email-verification"] !== undefined && { emailVerification: input["email-verification"] }),
      ...(input["cors-origins"] !== undefined && { corsOrigins: input["cors-origins"] }),
      ...(input.language !== undefined && { language: input.language }),
      ...(input["media-key-writes"] !== undefined && { keyWritesMedia: input["media-key-writes"] }),
      ...(input["notification-format"] !== undefined && { notificationFormat: input["notification-format"] }),
    }
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, current[name as keyof SiteSettings]]))
    const entry = { subject: "site_settings", id: siteId, action: "changed", before, after: values } as const
    return saveSettings(ctx, { current, seq }, values, entry, buildEvents?.(current, { ...current, ...values }))
  })
}

/**
 * Replaces a site's API key, `tna_<8>_<40>`. The old key stops working immediately; users stay logged in.
 * @returns the key's plaintext
 * @throws Refusal `validation_failed` about `site` for an unknown site; `illegal_transition` when a concurrent request
 *   replaced the key
 */
export async function regenerateApiKey(ctx: Ctx, siteId: string): Promise<string> {
  const seq = await getIncarnation(ctx, siteId)
  const { apiKeyHash } = await loadSettings(ctx, siteId)
  const { prefix, plaintext, hash } = await generateKey("tna")
  const changed = { apiKeyPrefix: prefix, apiKeyHash: hash, updatedAt: ctx.now }
  const isSameKey = sql`${siteSettings.apiKeyHash} is ${apiKeyHash}`
  try {
    await commit(ctx, {
      guard: insertSelect(
        siteSettings,
        { ...defaultSettings(siteId, ctx.now), ...changed },
        ifSameIncarnation(siteId, seq),
      ).onConflictDoUpdate({ target: siteSettings.siteId, set: changed, setWhere: isSameKey }),
      auditLog: [{ audit: { subject: "site_key", id: siteId, action: "rotated", siteId, data: { prefix } } }],
    })
  } catch (cause) {
    // Either the store was deleted, or a concurrent request replaced the key.
    const isSameStore = cause instanceof WriteConflict && (await getIncarnation(ctx, siteId)) === seq
    throw isSameStore ? new Refusal("illegal_transition") : throwSiteDeleted(cause)
  }
  return plaintext
}

/** The columns of the settings, as far as an update depends on them. */
const { siteId: _siteId, updatedAt: _updatedAt, ...COMPARED_COLUMNS } = getTableColumns(siteSettings)

/** Matches settings that are still those that were read. */
const isUnchanged = (current: SiteSettings): SQL | undefined =>
  and(
    ...Object.entries(COMPARED_COLUMNS).map(
      ([name, column]) => sql`${column} is ${sql.param(current[name as keyof typeof COMPARED_COLUMNS], column)}`,
    ),
  )

/**
 * Upserts a site's settings row with its audit entry.
 * @param read the settings and the incarnation that the change was decided on
 * @throws WriteConflict when they changed; Refusal `validation_failed` about `site` for a store that was deleted
 *   concurrently
 */
async function saveSettings(
  ctx: Ctx,
  { current, seq }: { current: SiteSettings; seq: number },
  values: Partial<SiteSettings>,
  entry: SiteAudit<"site_settings">,
  events: EventDraft[] = [],
): Promise<SiteSettings> {
  const { siteId } = current
  const changed = { ...values, updatedAt: ctx.now }
  try {
    const [[row]] = await commit(ctx, {
      guard: insertSelect(
        siteSettings,
        { ...defaultSettings(siteId, ctx.now), ...changed },
        ifSameIncarnation(siteId, seq),
      ).onConflictDoUpdate({ target: siteSettings.siteId, set: changed, setWhere: isUnchanged(current) }),
      writes: [selectSettings(ctx, siteId)],
      auditLog: [{ audit: { ...entry, siteId }, events }],
    })
    if (!row) throw new Error("the settings were not stored")
    return row
  } catch (cause) {
    const isSameStore = cause instanceof WriteConflict && (await getIncarnation(ctx, siteId)) === seq
    throw isSameStore ? cause : throwSiteDeleted(cause)
  }
}

/**
 * Issues a server token, `tns_<8>_<40>`.
 * @returns the stored row and the token's plaintext
 * @throws Refusal `validation_failed` about `site` for an unknown site
 */
export async function createServerToken(
  ctx: Ctx,
  siteId: string,
  input: z.output<typeof CreateServerToken>,
): Promise<{ token: ServerToken; plaintext: string }> {
  const seq = await getIncarnation(ctx, siteId)
  const { prefix, plaintext, hash } = await generateKey("tns")
  const { name, type, scopes } = input
  const row = { siteId, name, type, scopes, prefix, hash, createdByName: ctx.actor.name, createdAt: ctx.now }
  const [[token]] = await commit(ctx, {
    guard: insertSelect(serverTokens, row, ifSameIncarnation(siteId, seq)),
    writes: [ctx.db.select().from(serverTokens).where(eq(serverTokens.hash, hash))],
    auditLog: [
      {
        audit: {
          subject: "site_token",
          id: sql`last_insert_rowid()`,
          action: "issued",
          siteId,
          data: { prefix, name, type, scopes },
        },
      },
    ],
  }).catch(throwSiteDeleted)
  if (!token) throw new Error("the token was not stored")
  return { token, plaintext }
}

/** Lists a site's server tokens, or a slice of them, newest first. */
export const listServerTokens = (
  ctx: Ctx,
  siteId: string,
  { limit, offset }: Slice = ALL_ROWS,
): Promise<ServerToken[]> =>
  ctx.db
    .select()
    .from(serverTokens)
    .where(eq(serverTokens.siteId, siteId))
    .orderBy(desc(serverTokens.id))
    .limit(limit)
    .offset(offset)

/** @throws Refusal `not_found` */
export async function readServerToken(ctx: Ctx, siteId: string, id: number): Promise<ServerToken> {
  const [token] = await ctx.db
    .select()
    .from(serverTokens)
    .where(and(eq(serverTokens.siteId, siteId), eq(serverTokens.id, id)))
  if (!token) throw new Refusal("not_found")
  return token
}

/**
 * Revokes a server token. It stops working with the next request.
 * @returns the deleted row
 * @throws Refusal `not_found`
 */
export async function revokeServerToken(ctx: Ctx, siteId: string, id: number): Promise<ServerToken> {
  const token = await readServerToken(ctx, siteId, id)
  const own = and(eq(serverTokens.siteId, siteId), eq(serverTokens.id, id))
  const { name, prefix } = token
  try {
    await commit(ctx, {
      guard: remove(serverTokens).where(own),
      auditLog: [{ audit: { subject: "site_token", id, action: "revoked", siteId, data: { prefix, name } } }],
    })
  } catch (cause) {
    if (cause instanceof WriteConflict) throw new Refusal("not_found")
    throw cause
  }
  return token
}

async function generateKey(kind: "tna" | "tns"): Promise<{ prefix: string; plaintext: string; hash: string }> {
  const prefix = `${kind}_${randomBase62(8)}`
  const plaintext = `${prefix}_${randomBase62(40)}`
  return { prefix, plaintext, hash: await sha256(plaintext) }
}

const selectSettings = (ctx: Ctx, siteId: string) =>
  ctx.db.select().from(siteSettings).where(eq(siteSettings.siteId, siteId))

async function loadSettings(ctx: Ctx, siteId: string): Promise<SiteSettings> {
  const [row] = await selectSettings(ctx, siteId)
  return row ?? defaultSettings(siteId, ctx.now)
}

/** Whether there is such a site. */
export async function siteExists(ctx: Ctx, siteId: string): Promise<boolean> {
  if (siteId === CENTRAL_SITE) return true
  return (await ctx.db.select({ seq: stores.seq }).from(stores).where(eq(stores.id, siteId))).length > 0
}

/**
 * Returns the incarnation (`stores.seq`) of a site; 0 for the central one.
 * @throws Refusal `validation_failed` about `site`
 */
async function getIncarnation(ctx: Ctx, siteId: string): Promise<number> {
  if (siteId === CENTRAL_SITE) return 0
  const [store] = await ctx.db.select({ seq: stores.seq }).from(stores).where(eq(stores.id, siteId))
  if (!store) throw invalid("site", "selected")
  return store.seq
}

/**
 * Restricts a write to the same incarnation of the site: a key of a deleted store must not open the next store of its
 * name.
 */
const ifSameIncarnation = (siteId: string, seq: number): SQL =>
  siteId === CENTRAL_SITE ? sql`where true` : sql`from ${stores} where ${stores.seq} = ${seq}`

/**
 * Rethrows a write's error.
 * @throws Refusal `validation_failed` about `site` in place of WriteConflict
 */
function throwSiteDeleted(cause: unknown): never {
  throw cause instanceof WriteConflict ? invalid("site", "selected") : cause
}
