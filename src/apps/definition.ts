// Definition of an app, an optional feature of a site that lives in its own folder. The platform knows an app only by
// its manifest, and imports its code on first use.
import type { SQLiteTable } from "drizzle-orm/sqlite-core"
import type { ContentEnv } from "../content/types"
import type { Ctx } from "../core/context"
import type { ApiRouter } from "../core/http/router"
import type { SiteDatabase, Statement } from "../db/client"
import type { PlanTerms } from "../db/schema/central/subscriptions"
import type { SiteCounter } from "../db/schema/sites/counters"
import type { StorefrontPart } from "../storefront/part"
import type { AppDocs } from "./docs"
import type { TableDefinition } from "./table-definition"

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
  /** Counters that are reported as usage, by their name in usage responses and in plan limits. */
  usage?: Readonly<Record<string, UsageCounter>>
  /** Its tables in the site databases, by name. Each has a `site_id` column, by which the rows of a site are found. */
  tables: Readonly<Record<string, TableDefinition>>
  /** Migrations of the site databases that create its tables, triggers and indexes. */
  migrations: readonly string[]
  /** Imports its hourly job, which runs once for all sites. */
  hourly?: () => Promise<(ctx: Ctx) => Promise<unknown>>
  /** Imports its sample content for new stores. */
  samples?: () => Promise<SampleStatements>
}

/**
 * A manifest, which is checked against the other files of the app's folder. They are imported as types only.
 * @typeParam Tables the module `tables.ts`: every table in it needs a definition
 * @typeParam Docs the module `docs.ts`, with the texts for the API reference
 */
export type AppManifest<Tables, Docs extends { docs: AppDocs }> = Omit<AppDefinition, "tables"> & {
  readonly tables: TableDefinitions<Tables>
  /** Exists only as a type. */
  readonly docs?: Docs
}

/** The definitions of a module's tables, by the name in the database. */
type TableDefinitions<Module> = {
  readonly [Key in keyof Module as Module[Key] extends SQLiteTable ? Module[Key]["_"]["name"] : never]: DefinitionOf<
    Module[Key]
  >
}

type DefinitionOf<Table> = Table extends SQLiteTable & { siteId: unknown }
  ? TableDefinition<Extract<keyof Table["_"]["columns"], string>>
  : "the table has no siteId column"

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
