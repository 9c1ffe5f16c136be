// Definition of an app, an optional feature of a site that lives in its own folder. The platform knows an app only by
// its manifest, and imports its code on first use.
import type { ContentEnv } from "../content/types"
import type { Ctx } from "../core/context"
import type { ApiRouter } from "../core/http/router"
import type { SiteDatabase, Statement } from "../db/client"
import type { PlanTerms } from "../db/schema/central/subscriptions"
import type { RowCounter, SiteCounter } from "../db/schema/sites/counters"
import type { StorefrontPart } from "../storefront/part"

/** Usage totals of the apps by their name in the API. Apps extend it next to their manifest, so the API is typed. */
// biome-ignore lint/suspicious/noEmptyInterface: extended by the apps
export interface AppUsage {}

export interface AppDefinition {
  slug: string
  name: string
  /** Slugs of the apps that it depends on. */
  requires: readonly string[]
  /** Whether new stores have the app enabled if their plan includes it. */
  preinstalled?: boolean
  api: {
    /** First path segments under /api/v1, unique to the app, with their description. */
    paths: Readonly<Record<string, string>>
    routes: () => Promise<readonly ApiRouter<ContentEnv>[]>
  }
  /** Imports its part of the storefront. */
  storefront?: () => Promise<StorefrontPart>
  /** Lists whose totals its triggers maintain. */
  counters?: { site?: readonly SiteCounter[]; row?: readonly RowCounter[] }
  /** Counters that are reported as usage, by their name in usage responses and in plan limits. */
  usage?: Readonly<Record<string, UsageCounter>>
  /** Its tables in the site databases. Each has a `site_id` column, by which the rows of a deleted site are found. */
  tables: readonly string[]
  /** Migrations of the site databases that create its tables, triggers and indexes. */
  migrations: readonly string[]
  /** Imports its hourly job, which runs once for all sites. */
  hourly?: () => Promise<(ctx: Ctx) => Promise<unknown>>
  /** Imports its sample content for new stores. */
  samples?: () => Promise<SampleStatements>
}

/** A total that is maintained by triggers. */
interface UsageCounter {
  counter: SiteCounter
  /** Whether only the current calendar month counts. */
  monthly?: boolean
}

/** Builds the statements that insert sample content into a new site. The statements are idempotent. */
type SampleStatements = (site: NewSite) => Statement[]

/** Site that is being provisioned. */
export interface NewSite {
  id: string
  db: SiteDatabase
  /** The store's name, for sample texts that mention it. */
  name: string
  theme: string
  /** Terms of the store's plan; null for a store without a subscription, which has no limits. */
  terms: PlanTerms | null
  now: Date
}
