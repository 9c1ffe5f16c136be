// Definition of an app, an optional feature of a site that lives in its own folder. The platform knows an app only by
// its manifest, and imports its code on first use.
import type { SQL } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"
import type { SearchProducts } from "../content/search/service"
import type { ContentSite } from "../content/site"
import type { ContentEnv } from "../content/types"
import type { Ctx } from "../core/context"
import type { ApiRouter } from "../core/http/router"
import type { Translations } from "../core/i18n/locale"
import type { SiteDatabase, Statement } from "../db/client"
import type { PlanTerms } from "../db/schema/central/subscriptions"
import type { RowCounter, SiteCounter } from "../db/schema/sites/counters"
import type { Write } from "../db/write"
import type { ItemSection, StorefrontPart } from "../storefront/part"
import type { VisitorPage } from "../storefront/visitor/page"

/** Usage totals of the apps by their name in the API. Apps extend it next to their manifest, so the API is typed. */
// biome-ignore lint/suspicious/noEmptyInterface: extended by the apps
export interface AppUsage {}

export interface AppDefinition {
  slug: string
  name: string
  /** The name in the shop's admin; default: `name`. */
  localName?: Translations
  /** The app's benefits, for owners. */
  description?: Translations
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
  /** Imports its section on the pages of the items of another app, such as reviews of products. */
  itemSection?: {
    /** First path segment of these pages. */
    part: string
    load: () => Promise<ItemSection>
  }
  /** Imports its pages that depend on the visitor, such as a cart, and names the first segments of their paths. */
  visitorPages?: {
    paths: readonly string[]
    /** Links to pages of the customer on the overview of the account. */
    accountLinks?: readonly { href: string; name: Translations }[]
    /** Links in the footer of every page. */
    footerLinks?: readonly { href: string; name: Translations }[]
    load: () => Promise<readonly VisitorPage[]>
  }
  /** Counters that are reported as usage, by their name in usage responses and in plan limits. */
  usage?: Readonly<Record<string, UsageCounter>>
  /** Its tables in the site databases, by name. Each has a `site_id` column, by which the rows of a site are found. */
  tables: Readonly<Record<string, TableDefinition>>
  /** Migrations of the site databases that create its tables, triggers and indexes. */
  migrations: readonly string[]
  /** Imports its hourly job, which runs once for each site database, named by its binding. */
  hourly?: () => Promise<(ctx: Ctx, database: string) => Promise<unknown>>
  /** Imports the search of its products, for the search of the content API. */
  searchProducts?: () => Promise<SearchProducts>
  /** Imports what it writes when a customer's address is confirmed, and when an account is deleted. */
  accounts?: () => Promise<AccountWrites>
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

/**
 * The triggers of a table. `npm run db:generate` writes them into a migration, and `npm run lint` fails while the
 * migrations lack one. Every table also gets triggers that reject writes while its site is migrated.
 * @typeParam Column the table's columns, by their names in TypeScript
 */
export interface TableDefinition<Column extends string = string> {
  /**
   * Whether public responses contain its rows. Triggers of a public table increment the version of the site's content,
   * which invalidates cached responses. With `publicColumns`, only updates of these columns do; none, if rows are never
   * updated.
   */
  visibility: "private" | "public" | { publicColumns: readonly Column[] }
  /** Totals of its rows. */
  counters: readonly CounterDefinition<Column>[]
  /** A table and the column with the id of its row: a row is deleted with that row. */
  deletedWith?: { table: string; column: Column }
  /** Handwritten triggers of this table. */
  customTriggers?: readonly string[]
}

/** A total of a table's rows, and further totals of a subset of them. */
export type CounterDefinition<Column extends string = string> = CounterScope<Column> & {
  /** Also counts the rows of each value of this column. */
  by?: Column
  /** Also counts the rows of each UTC month of this timestamp, which never changes. */
  byMonthOf?: Column
  /** Counts only rows whose column has this value. */
  only?: { column: Column; value: string }
}

/** The list that is counted: one per site, or one for each value of the column `per`. */
type CounterScope<Column extends string> = { list: SiteCounter; per?: undefined } | { list: RowCounter; per: Column }

/** An app's texts for the API reference, the `docs.ts` of its folder. Only tools import them. */
export interface AppDocs {
  /** When to use an operation and what it changes, by operation id. */
  operations: Readonly<Record<string, string>>
  /** Path parameters that differ from `:id`, the id of the resource, such as `products :id`. */
  parameters?: Readonly<Record<string, { description: string; integer?: boolean; example: string | number }>>
  /** Fields for which a valid request may be refused, because a lookup decides, by operation id. For `npm run fuzz`. */
  lookups?: Readonly<Record<string, readonly string[]>>
}

/** A total that is maintained by triggers. */
interface UsageCounter {
  counter: SiteCounter
  /** Whether only the current calendar month counts. */
  monthly?: boolean
  /** A flag of the table with the counter's name. The few rows that have it are not counted; an index finds them. */
  excludes?: string
}

/** The writes of an app in the transaction that changes a customer's account. */
export interface AccountWrites {
  /**
   * Gives a customer what was recorded for the address before it was confirmed. It is bounded: the rest follows at the
   * next sign-in.
   */
  attach?(siteId: string, account: ConfirmedAccount): Write[]
  /** Deletes a customer's data, or the person from it. */
  erase(siteId: string, userId: number): Write[]
  /** Reads all of a customer's data as resources, by name. */
  export(site: Pick<ContentSite, "id" | "db">, userId: number): Promise<Record<string, unknown[]>>
}

/** An account whose email address was confirmed. */
export interface ConfirmedAccount {
  /** Null if there is none, which changes nothing. */
  userId: SQL<number>
  /** In lower case. */
  email: string
  now: Date
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
