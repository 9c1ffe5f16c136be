// Whose host is it? Everything else is decided after this.
import { and, eq, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { nearestCentralReplica, read } from "../../db/client"
import { joined, named } from "../../db/join-columns"
import { compiled, given } from "../../db/prepared"
import { domains } from "../../db/schema/central/domains"
import { stores } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { type Env, settingsOf } from "../../env"
import { isRoutable } from "./store-access"

/** What the URL's host says before any database is asked. */
export type Host = { kind: "central" } | { kind: "other"; hostname: string }

/** What is known of a store, and of what it bought, wherever its host is asked for: no more than that needs. */
export const SITE_STORE = ["seq", "id", "name", "status", "theme", "preset", "apps", "database", "version"] as const
export const SITE_SUBSCRIPTION = ["id", "plan"] as const

/** What decides whether a host leads to its store. */
export const SITE_DOMAIN = ["isFallback", "verifiedAt"] as const

/** A store's site: the store, what it bought, and how it was reached. */
export interface Site {
  store: Pick<typeof stores.$inferSelect, (typeof SITE_STORE)[number]>
  subscription: Pick<typeof subscriptions.$inferSelect, (typeof SITE_SUBSCRIPTION)[number]> | null
  hostname: string
  /** The host that the store's root URL names. */
  primary: string
}

/** The host of a request, without its port; only the Worker's own view of the URL counts, never a forwarded header. */
export function hostOf(env: Env, url: string): Host {
  const hostname = new URL(url).hostname.replace(/\.$/, "")
  return hostname === settingsOf(env).CENTRAL_DOMAIN ? { kind: "central" } : { kind: "other", hostname }
}

const primary = alias(domains, "primary_domain")

const siteByHost = compiled<
  {
    store: Site["store"]
    subscription: NonNullable<Site["subscription"]>
    domain: Pick<typeof domains.$inferSelect, (typeof SITE_DOMAIN)[number]>
    primary: string | null
  },
  { hostname: string }
>((db) =>
  db
    .select({
      store: named(stores, SITE_STORE),
      subscription: named(subscriptions, SITE_SUBSCRIPTION),
      domain: named(domains, SITE_DOMAIN),
      primary: sql<string | null>`${primary.domain}`.as("primary_host"),
    })
    .from(domains)
    .innerJoin(stores, eq(stores.id, domains.storeId))
    .leftJoin(primary, and(eq(primary.storeId, domains.storeId), eq(primary.isPrimary, true)))
    .leftJoin(subscriptions, eq(subscriptions.storeId, stores.id))
    .where(eq(domains.domain, given("hostname"))),
)

/**
 * The site that a host leads to, as the nearest replica knows it: a store's fallback host, or a custom domain that was verified.
 * @returns null when no store answers to it
 */
export async function siteOf(env: Env, hostname: string): Promise<Site | null> {
  const [row] = await read(nearestCentralReplica(env), siteByHost({ hostname }))
  if (!row || !isRoutable(row.domain)) return null
  return { store: row.store, subscription: joined(row.subscription), hostname, primary: row.primary ?? hostname }
}
