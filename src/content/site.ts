// Whose /api/v1 it is: the central site's or a store's, found with its settings and the presented key in one round trip.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { hostOf, SITE_DOMAIN, SITE_STORE, SITE_SUBSCRIPTION, type Site } from "../core/http/host"
import { invalid, Refusal } from "../core/http/refusal"
import { isRoutable } from "../core/http/store-access"
import type { Locale } from "../core/i18n/locale"
import { batch, type CentralDatabase, read, type SiteDatabase, siteDatabase } from "../db/client"
import { joined, named } from "../db/join-columns"
import { compiled, given } from "../db/prepared"
import { domains } from "../db/schema/central/domains"
import { type ServerTokenType, serverTokens, siteSettings } from "../db/schema/central/sites"
import { stores } from "../db/schema/central/stores"
import { subscriptions } from "../db/schema/central/subscriptions"
import { equalSecrets, sha256 } from "../lib/hash"

/** The id under which the central site's own rows are kept, beside those of the stores. No store can have it. */
export const CENTRAL_SITE = "central"

/** How a site's API is set up. */
interface ApiSettings {
  enabled: boolean
  keyRequired: boolean
  /** SHA-256 of the site's API key in hex; null while it has none. */
  keyHash: string | null
  /** Whether the API key may change the media library. */
  keyWritesMedia: boolean
  /** Whether users must confirm their e-mail address before they can log in. */
  emailVerification: boolean
}

export interface ContentSite {
  /** The store's id, or `central`. */
  id: string
  /** The store and what it bought; null for the central site. */
  store: Site["store"] | null
  subscription: Site["subscription"]
  /** The host that was asked for, as links in answers and mails name it. */
  hostname: string
  /** The binding of the site database, for reads from a replica. */
  database: string
  db: SiteDatabase
  api: ApiSettings
  /** The language that the platform writes to the owner in; null while nobody chose one. */
  language: Locale | null
}

/** The key of a request: the site's own API key, or a named server token. */
export interface ServerKey {
  /** The server token's id; null for the site's own key. */
  id: number | null
  name: string
  /** The site's own key counts as `standard`. */
  type: ServerTokenType
  lastUsedAt: Date | null
}

/** What stands behind a site's media library: whose it is, where its rows are, what its plan has room for, and whose host serves it. */
export type MediaSite = Pick<ContentSite, "id" | "database" | "db" | "subscription" | "hostname"> &
  Pick<SiteRef, "store">

/** What the verbs of the media library need, whoever calls them. */
export interface MediaCtx extends Ctx {
  readonly site: MediaSite
}

/** What every verb of this surface is given beside its input. */
export interface SiteCtx extends Ctx {
  readonly site: ContentSite
  /** The key that came with the request, when it is a good one. */
  readonly key: ServerKey | null
  /** The language of messages and mails. */
  readonly locale: Locale
  /** Of a public read: told the version of the site's content that it was read at. */
  readonly seen?: (version: number) => void
  /** Of a public read: a state of the site database that the reader has seen. */
  readonly bookmark?: string
}

/** What is read of a site's settings wherever its host is asked for. */
const SETTINGS = [
  "siteId",
  "apiEnabled",
  "keyRequired",
  "apiKeyHash",
  "keyWritesMedia",
  "emailVerification",
  "language",
] as const

type Settings = Pick<typeof siteSettings.$inferSelect, (typeof SETTINGS)[number]>

/** A site's settings as its row says them, or the defaults. */
const apiSettings = (row: Settings | null | undefined): ApiSettings => ({
  enabled: row?.apiEnabled ?? true,
  keyRequired: row?.keyRequired ?? false,
  keyHash: row?.apiKeyHash ?? null,
  keyWritesMedia: row?.keyWritesMedia ?? true,
  emailVerification: row?.emailVerification ?? false,
})

/** `tns_` is a named server token, `tna_` a site's API key; nothing else is looked up. */
const KEY_FORM = /^tn[as]_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}$/

/**
 * The site that a URL's host leads to, and whose key came along.
 * @param presented the `X-API-KEY` header
 * @throws Refusal `not_found` for a host that leads nowhere, `store_unavailable` for a store that has no site database yet
 */
export async function resolveSite(
  ctx: Ctx,
  url: string,
  presented: string | undefined,
): Promise<{ site: ContentSite; key: ServerKey | null }> {
  const host = hostOf(ctx.env, url)
  const hash = presented && KEY_FORM.test(presented) ? await sha256(presented) : null
  if (host.kind === "central") {
    const [[settings], [token] = []] = await batch(ctx.db, [
      centralSettings({}),
      ...(hash === null ? [] : [centralToken({ hash })]),
    ])
    const site = centralSite(ctx, settings)
    return { site, key: hash === null ? null : serverKey(site, hash, token) }
  }
  const { hostname } = host
  if (hash === null) {
    const [row] = await read(ctx.db, storeSiteByHost({ hostname }))
    return { site: storeSite(ctx, hostname, row), key: null }
  }
  const [[row], [token]] = await batch(ctx.db, [storeSiteByHost({ hostname }), tokenOfHost({ hash, hostname })])
  const site = storeSite(ctx, hostname, row)
  return { site, key: serverKey(site, hash, token) }
}

const centralSettings = compiled<Settings, object>((db) =>
  db.select().from(siteSettings).where(eq(siteSettings.siteId, CENTRAL_SITE)),
)

/** A store's site as its host finds it; what is joined from the left may be all nulls. */
interface StoreSiteRow {
  store: Site["store"]
  subscription: NonNullable<Site["subscription"]>
  domain: Pick<typeof domains.$inferSelect, (typeof SITE_DOMAIN)[number]>
  settings: Settings
}

const storeSiteByHost = compiled<StoreSiteRow, { hostname: string }>((db) =>
  db
    .select({
      store: named(stores, SITE_STORE),
      subscription: named(subscriptions, SITE_SUBSCRIPTION),
      domain: named(domains, SITE_DOMAIN),
      settings: named(siteSettings, SETTINGS),
    })
    .from(domains)
    .innerJoin(stores, eq(stores.id, domains.storeId))
    .leftJoin(subscriptions, eq(subscriptions.storeId, stores.id))
    .leftJoin(siteSettings, eq(siteSettings.siteId, stores.id))
    .where(eq(domains.domain, given("hostname"))),
)

type TokenRow = typeof serverTokens.$inferSelect

const selectToken = (db: CentralDatabase, isOfSite: SQL) =>
  db
    .select()
    .from(serverTokens)
    .where(and(eq(serverTokens.hash, given("hash")), isOfSite))

const centralToken = compiled<TokenRow, { hash: string }>((db) =>
  selectToken(db, eq(serverTokens.siteId, CENTRAL_SITE)),
)

const tokenOfHost = compiled<TokenRow, { hash: string; hostname: string }>((db) =>
  selectToken(
    db,
    eq(
      serverTokens.siteId,
      sql`(select ${domains.storeId} from ${domains} where ${domains.domain} = ${given("hostname")})`,
    ),
  ),
)

/** The central site; its rows are in the first site database. */
function centralSite(ctx: Ctx, settings: Settings | undefined): ContentSite {
  const [database = ""] = ctx.settings.SITE_DATABASES
  return {
    id: CENTRAL_SITE,
    store: null,
    subscription: null,
    hostname: ctx.settings.CENTRAL_DOMAIN,
    database,
    db: siteDatabase(ctx.env, database),
    api: apiSettings(settings),
    language: null,
  }
}

function storeSite(ctx: Ctx, hostname: string, row: StoreSiteRow | undefined): ContentSite {
  if (!row || !isRoutable(row.domain)) throw new Refusal("not_found")
  const { store } = row
  const settings = joined(row.settings)
  if (!store.database) throw new Refusal("store_unavailable")
  return {
    id: store.id,
    store,
    subscription: joined(row.subscription),
    hostname,
    database: store.database,
    db: siteDatabase(ctx.env, store.database),
    api: apiSettings(settings),
    language: settings?.language ?? null,
  }
}

function serverKey(site: ContentSite, hash: string, token: TokenRow | undefined): ServerKey | null {
  if (token) return { id: token.id, name: token.name, type: token.type, lastUsedAt: token.lastUsedAt }
  if (site.api.keyHash && equalSecrets(hash, site.api.keyHash)) {
    return { id: null, name: "API key", type: "standard", lastUsedAt: null }
  }
  return null
}

/** A request's context pinned to the store that its host led to. */
export const pinnedTo = <Given extends Ctx>(ctx: Given, { store }: ContentSite): Given =>
  store ? { ...ctx, pinned: { id: store.id, seq: store.seq } } : ctx

/** A site and where its rows are, for work that no request of its own host asked for. */
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
 * The site of that id, whatever its state: its content may be written before a store opens and while it is suspended.
 * @param id a store's id, or `central`
 * @throws Refusal `validation_failed` about `site` when there is no such store, `store_unavailable` when it has no database yet
 */
export async function siteById(ctx: Ctx, id: string): Promise<SiteRef> {
  const [central = ""] = ctx.settings.SITE_DATABASES
  if (id === CENTRAL_SITE) return { id, store: null, database: central, db: siteDatabase(ctx.env, central) }
  const [store] = await ctx.db
    .select({ seq: stores.seq, database: stores.database })
    .from(stores)
    .where(eq(stores.id, id))
  if (!store || (ctx.pinned?.id === id && ctx.pinned.seq !== store.seq)) throw invalid("site", "selected")
  const { seq, database } = store
  if (!database) throw new Refusal("store_unavailable")
  return { id, store: { seq }, database, db: siteDatabase(ctx.env, database) }
}
