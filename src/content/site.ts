// Resolves the site of a request to /api/v1: the central site or a store, with its settings and the presented key, in
// one round trip.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { hostOf, SITE_DOMAIN, SITE_STORE, SITE_SUBSCRIPTION, type Site } from "../core/http/host"
import { Refusal } from "../core/http/refusal"
import { isRoutable } from "../core/http/store-access"
import type { Locale } from "../core/i18n/locale"
import { batch, type CentralDatabase, read, type SiteDatabase, siteDatabase } from "../db/client"
import { aliasedColumns, nullIfUnmatched } from "../db/join-columns"
import { param, prepareRead } from "../db/prepared"
import { domains } from "../db/schema/central/domains"
import { type NotificationFormat, type ServerTokenType, serverTokens, siteSettings } from "../db/schema/central/sites"
import { stores } from "../db/schema/central/stores"
import { subscriptions } from "../db/schema/central/subscriptions"
import { equalSecrets, sha256 } from "../lib/hash"

/** The site id of the central site's own rows. No store can have it. */
export const CENTRAL_SITE = "central"

/** A site's API settings. */
interface ApiSettings {
  enabled: boolean
  keyRequired: boolean
  /** SHA-256 of the site's API key in hex; null while it has none. */
  keyHash: string | null
  /** Whether the API key may change the media library. */
  keyWritesMedia: boolean
  /** Whether users must confirm their email address before they can log in. */
  emailVerification: boolean
  /** The origins whose pages may call the API in a browser; null for all. */
  corsOrigins: readonly string[] | null
  notificationFormat: NotificationFormat
}

export interface ContentSite {
  /** The store's id, or `central`. */
  id: string
  /** The store and its subscription; null for the central site. */
  store: Site["store"] | null
  subscription: Site["subscription"]
  /** The host of the request. Links in responses and mails use it. */
  hostname: string
  /** The binding of the site database, for reads from a replica. */
  database: string
  db: SiteDatabase
  api: ApiSettings
  /** The language of the platform's mails to the owner; null until one is chosen. */
  language: Locale | null
}

/** The API key of a request: the site's own API key, or a named server token. */
export interface ServerKey {
  /** The server token's id; null for the site's own key. */
  id: number | null
  name: string
  /** `standard` for the site's own key. */
  type: ServerTokenType
  /** Whether it may change content. */
  canWrite: boolean
  lastUsedAt: Date | null
}

/**
 * The parts of a site that the media library uses: its id, its database, its plan and the host that serves its files.
 */
export type MediaSite = Pick<ContentSite, "id" | "database" | "db" | "subscription" | "hostname"> &
  Pick<SiteRef, "store">

/** The context of the media library's service functions, for API, console and operator commands alike. */
export interface MediaCtx extends Ctx {
  readonly site: MediaSite
}

/** The context of the content API's service functions. */
export interface SiteCtx extends Ctx {
  readonly site: ContentSite
  /** The key of the request, when it is valid. */
  readonly key: ServerKey | null
  /** The language of messages and mails. */
  readonly locale: Locale
  /** The bearer token of a public read, which may be invalid. */
  readonly reader?: { id: number; hash: string }
  /** Set for public reads: receives the version of the site's content that was read. */
  readonly onVersionRead?: (version: string) => void
  /** Set for public reads: the client's D1 bookmark. Reads are at least as recent. */
  readonly bookmark?: string
}

/** The columns of a site's settings that are read with every request. */
const SETTINGS_COLUMNS = [
  "siteId",
  "apiEnabled",
  "keyRequired",
  "apiKeyHash",
  "keyWritesMedia",
  "emailVerification",
  "corsOrigins",
  "notificationFormat",
  "language",
] as const

type Settings = Pick<typeof siteSettings.$inferSelect, (typeof SETTINGS_COLUMNS)[number]>

/** Converts a site's settings row, or applies the defaults where there is none. */
const toApiSettings = (row: Settings | null | undefined): ApiSettings => ({
  enabled: row?.apiEnabled ?? true,
  keyRequired: row?.keyRequired ?? false,
  keyHash: row?.apiKeyHash ?? null,
  keyWritesMedia: row?.keyWritesMedia ?? true,
  emailVerification: row?.emailVerification ?? false,
  corsOrigins: row?.corsOrigins ?? null,
  notificationFormat: row?.notificationFormat ?? "standard",
})

/** `tns_` is a named server token, `tna_` a site's API key. Nothing else is looked up. */
const KEY_PATTERN = /^tn[as]_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}$/

/**
 * Resolves the site of a URL's host, and the presented key.
 * @param presented the `X-API-KEY` header
 * @throws Refusal `not_found` for an unknown host, `store_unavailable` for a store that has no site database yet
 */
export async function resolveSite(
  ctx: Ctx,
  url: string,
  presented: string | undefined,
): Promise<{ site: ContentSite; key: ServerKey | null }> {
  const host = hostOf(ctx.env, url)
  const hash = presented && KEY_PATTERN.test(presented) ? await sha256(presented) : null
  if (host.kind === "central") {
    const [[settings], [token] = []] = await batch(ctx.db, [
      selectCentralSettings({}),
      ...(hash === null ? [] : [selectCentralToken({ hash })]),
    ])
    const site = toCentralSite(ctx, settings)
    return { site, key: hash === null ? null : toServerKey(site, hash, token) }
  }
  const { hostname } = host
  if (hash === null) {
    const [row] = await read(ctx.db, selectStoreSite({ hostname }))
    return { site: toStoreSite(ctx, hostname, row), key: null }
  }
  const [[row], [token]] = await batch(ctx.db, [selectStoreSite({ hostname }), selectTokenByHost({ hash, hostname })])
  const site = toStoreSite(ctx, hostname, row)
  return { site, key: toServerKey(site, hash, token) }
}

const selectCentralSettings = prepareRead<Settings, object>((db) =>
  db.select().from(siteSettings).where(eq(siteSettings.siteId, CENTRAL_SITE)),
)

/** A store's site, found by host. Columns of left joins may all be null. */
interface StoreSiteRow {
  store: Site["store"]
  subscription: NonNullable<Site["subscription"]>
  domain: Pick<typeof domains.$inferSelect, (typeof SITE_DOMAIN)[number]>
  settings: Settings
}

const selectStoreSite = prepareRead<StoreSiteRow, { hostname: string }>((db) =>
  db
    .select({
      store: aliasedColumns(stores, SITE_STORE),
      subscription: aliasedColumns(subscriptions, SITE_SUBSCRIPTION),
      domain: aliasedColumns(domains, SITE_DOMAIN),
      settings: aliasedColumns(siteSettings, SETTINGS_COLUMNS),
    })
    .from(domains)
    .innerJoin(stores, eq(stores.id, domains.storeId))
    .leftJoin(subscriptions, eq(subscriptions.storeId, stores.id))
    .leftJoin(siteSettings, eq(siteSettings.siteId, stores.id))
    .where(eq(domains.domain, param("hostname"))),
)

type TokenRow = typeof serverTokens.$inferSelect

const selectTokenByHash = (db: CentralDatabase, belongsToSite: SQL) =>
  db
    .select()
    .from(serverTokens)
    .where(and(eq(serverTokens.hash, param("hash")), belongsToSite))

const selectCentralToken = prepareRead<TokenRow, { hash: string }>((db) =>
  selectTokenByHash(db, eq(serverTokens.siteId, CENTRAL_SITE)),
)

const selectTokenByHost = prepareRead<TokenRow, { hash: string; hostname: string }>((db) =>
  selectTokenByHash(
    db,
    eq(
      serverTokens.siteId,
      sql`(select ${domains.storeId} from ${domains} where ${domains.domain} = ${param("hostname")})`,
    ),
  ),
)

/** The central site; its rows are in the first site database. */
function toCentralSite(ctx: Ctx, settings: Settings | undefined): ContentSite {
  const [database = ""] = ctx.settings.SITE_DATABASES
  return {
    id: CENTRAL_SITE,
    store: null,
    subscription: null,
    hostname: ctx.settings.CENTRAL_DOMAIN,
    database,
    db: siteDatabase(ctx.env, database, CENTRAL_SITE),
    api: toApiSettings(settings),
    language: null,
  }
}

function toStoreSite(ctx: Ctx, hostname: string, row: StoreSiteRow | undefined): ContentSite {
  if (!row || !isRoutable(row.domain)) throw new Refusal("not_found")
  const { store } = row
  const settings = nullIfUnmatched(row.settings)
  if (!store.database) throw new Refusal("store_unavailable")
  return {
    id: store.id,
    store,
    subscription: nullIfUnmatched(row.subscription),
    hostname,
    database: store.database,
    db: siteDatabase(ctx.env, store.database, store.id),
    api: toApiSettings(settings),
    language: settings?.language ?? null,
  }
}

function toServerKey(site: ContentSite, hash: string, token: TokenRow | undefined): ServerKey | null {
  if (token) {
    const { id, name, type, lastUsedAt, scopes } = token
    return { id, name, type, lastUsedAt, canWrite: scopes?.includes("write") === true }
  }
  if (site.api.keyHash && equalSecrets(hash, site.api.keyHash)) {
    return { id: null, name: "API key", type: "standard", lastUsedAt: null, canWrite: false }
  }
  return null
}

/** Pins a request's context to the store that its host resolved to. */
export const pinToStore = <C extends Ctx>(ctx: C, { store }: ContentSite): C =>
  store ? { ...ctx, pinned: { id: store.id, seq: store.seq } } : ctx

/** A site and its database, for work outside a request to its own host. */
export interface SiteRef {
  /** The store's id, or `central`. */
  id: string
  /** The store; null for the central site. */
  store: { seq: number } | null
  /** The binding of the site database. */
  database: string
  db: SiteDatabase
}

/**
 * Finds a site by id, in every state: content may be written before a store opens and while it is suspended.
 * @param id a store's id, or `central`
 * @returns null when there is no such store
 * @throws Refusal `store_unavailable` when it has no database yet
 */
export async function findSite(ctx: Ctx, id: string): Promise<SiteRef | null> {
  const [central = ""] = ctx.settings.SITE_DATABASES
  if (id === CENTRAL_SITE) return { id, store: null, database: central, db: siteDatabase(ctx.env, central, id) }
  const [store] = await ctx.db
    .select({ seq: stores.seq, database: stores.database })
    .from(stores)
    .where(eq(stores.id, id))
  if (!store || (ctx.pinned?.id === id && ctx.pinned.seq !== store.seq)) return null
  const { seq, database } = store
  if (!database) throw new Refusal("store_unavailable")
  return { id, store: { seq }, database, db: siteDatabase(ctx.env, database, id) }
}
