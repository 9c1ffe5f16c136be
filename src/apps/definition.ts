// What an app is to the platform: a plugin of a site, all of it in one folder. All that the platform knows of it stands in its
// manifest, and what a request needs of it is loaded when it is first asked for.
import type { Hono } from "hono"
import type { ContentEnv } from "../content/types"
import type { Ctx } from "../core/context"
import type { SiteDatabase, Statement } from "../db/client"
import type { PlanTerms } from "../db/schema/central/subscriptions"
import type { RowCounter, SiteCounter } from "../db/schema/sites/counters"
import type { StorefrontPart } from "../storefront/part"

/** What apps count as usage, by its name in the API; an app adds its own beside its manifest, so that the wire has a type. */
// biome-ignore lint/suspicious/noEmptyInterface: the apps fill it
export interface UsageOfApps {}

export interface Plugin {
  slug: string
  name: string
  /** Slugs of the apps that it cannot be without. */
  requires: readonly string[]
  /** Whether a new store has it on, when its plan includes it. */
  preinstalled?: boolean
  api: {
    /** The first segments of its paths under /api/v1, which nobody else has, and what is found there. */
    paths: Readonly<Record<string, string>>
    routes: () => Promise<readonly Hono<ContentEnv>[]>
  }
  /** What the storefront shows of it. */
  storefront?: () => Promise<StorefrontPart>
  /** The lists that its triggers count. */
  counters?: { site?: readonly SiteCounter[]; row?: readonly RowCounter[] }
  /** What of it is usage, by the name that usage and the limits of plans have for it. */
  usage?: Readonly<Record<string, Count>>
  /** Its tables in the site databases; each has a `site_id`, by which a deleted site's rows are found. */
  tables: readonly string[]
  /** The migrations of the site databases that make its tables, their triggers and their indexes. */
  migrations: readonly string[]
  /** What is done every hour, for all sites at once. */
  hourly?: () => Promise<(ctx: Ctx) => Promise<unknown>>
  /** What a new store starts with. */
  samples?: () => Promise<Samples>
}

/** A total that triggers keep. */
interface Count {
  counter: SiteCounter
  /** Whether only what is of the current calendar month counts. */
  monthly?: boolean
}

/** The statements that put sample content into a new site. Running them twice does what running them once does. */
type Samples = (site: NewSite) => Statement[]

/** A site that is being provisioned. */
export interface NewSite {
  id: string
  db: SiteDatabase
  /** The store's name, for texts that speak of it. */
  name: string
  theme: string
  /** What the store bought; null when it bought nothing and nothing is limited. */
  terms: PlanTerms | null
  now: Date
}
