// Resolves the host of a request to the central domain or to a store's site.
import { and, eq, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { nearestCentralReplica, read } from "../../db/client"
import { aliasedColumns, nullIfUnmatched } from "../../db/join-columns"
import { param, prepareRead } from "../../db/prepared"
import { domains } from "../../db/schema/central/domains"
import { siteSettings } from "../../db/schema/central/sites"
import { stores } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { type Bindings, settingsOf } from "../../env"
import type { Locale } from "../i18n/locale"
import { isRoutable } from "./store-access"

/** The host of a request, before any database lookup. */
export type Host = { kind: "central" } | { kind: "other"; hostname: string }

/** The columns of a store and its subscription that are read for every request to its host. */
export const SITE_STORE = [
  "seq",
  "id",
  "name",
  "status",
  "theme",
  "preset",
  "apps",
  "database",
  "version",
  "operatorSuspendedAt",
] as const
export const SITE_SUBSCRIPTION = ["id", "plan"] as const

/** The columns that decide whether a host is routed to its store. */
export const SITE_DOMAIN = ["isFallback", "verifiedAt"] as const

/** A store, its subscription, and the host that the request used. */
export interface Site {
  store: Pick<typeof stores.$inferSelect, (typeof SITE_STORE)[number]>
  subscription: Pick<typeof subscriptions.$inferSelect, (typeof SITE_SUBSCRIPTION)[number]> | null
  hostname: string
  /** The store's primary host. */
  primary: string
  /** The shop's language; null until one is chosen. */
  language: Locale | null
}

/** Returns the host of a request without its port. Only the request URL counts, never a forwarded header. */
export function hostOf(env: Bindings, url: string): Host {
  const hostname = new URL(url).hostname.replace(/\.$/, "")
  return hostname === settingsOf(env).CENTRAL_DOMAIN ? { kind: "central" } : { kind: "other", hostname }
}

const primaryDomain = alias(domains, "primary_domain")

const selectSiteByHost = prepareRead<
  {
    store: Site["store"]
    subscription: NonNullable<Site["subscription"]>
    domain: Pick<typeof domains.$inferSelect, (typeof SITE_DOMAIN)[number]>
    primary: string | null
    language: Locale | null
  },
  { hostname: string }
>((db) =>
  db
    .select({
      store: aliasedColumns(stores, SITE_STORE),
      subscription: aliasedColumns(subscriptions, SITE_SUBSCRIPTION),
      domain: aliasedColumns(domains, SITE_DOMAIN),
      primary: sql<string | null>`${primaryDomain.domain}`.as("primary_host"),
      language: siteSettings.language,
    })
    .from(domains)
    .innerJoin(stores, eq(stores.id, domains.storeId))
    .leftJoin(primaryDomain, and(eq(primaryDomain.storeId, domains.storeId), eq(primaryDomain.isPrimary, true)))
    .leftJoin(subscriptions, eq(subscriptions.storeId, stores.id))
    .leftJoin(siteSettings, eq(siteSettings.siteId, stores.id))
    .where(eq(domains.domain, param("hostname"))),
)

/**
 * Finds the site of a host in the nearest replica: a store's fallback host, or a verified custom domain.
 * @returns null when no store has this host
 */
export async function findSiteByHost(env: Bindings, hostname: string): Promise<Site | null> {
  const [row] = await read(nearestCentralReplica(env), selectSiteByHost({ hostname }))
  if (!row || !isRoutable(row.domain)) return null
  return {
    store: row.store,
    subscription: nullIfUnmatched(row.subscription),
    hostname,
    primary: row.primary ?? hostname,
    language: row.language,
  }
}
