// Declares a table of a site database. Its type lets only the statements of a scope (`db/site-scope.ts`) use it, so
// none can reach the rows of another site.
import type { BuildColumns, BuildExtraConfigColumns } from "drizzle-orm/column-builder"
import {
  type SQLiteColumn,
  type SQLiteColumnBuilderBase,
  type SQLiteTable,
  type SQLiteTableExtraConfigValue,
  type SQLiteTableWithColumns,
  sqliteTable,
} from "drizzle-orm/sqlite-core"

declare const OF_SITE: unique symbol

interface OfSite {
  readonly [OF_SITE]: true
}

/** A table of a site database: each row belongs to the site `site_id`. */
export type SiteTable = SQLiteTable & OfSite & { readonly siteId: SQLiteColumn }

/** A table of the central database. */
export type CentralTable = SQLiteTable & { readonly [OF_SITE]?: never }

type Columns = Record<string, SQLiteColumnBuilderBase> & { siteId: SQLiteColumnBuilderBase }

/** Declares a table as `sqliteTable` does. */
export const siteTable = <Name extends string, Map extends Columns>(
  name: Name,
  columns: Map,
  extra?: (table: BuildExtraConfigColumns<Name, Map, "sqlite">) => SQLiteTableExtraConfigValue[],
) =>
  (sqliteTable as (...declaration: unknown[]) => unknown)(name, columns, extra) as SQLiteTableWithColumns<{
    name: Name
    schema: undefined
    columns: BuildColumns<Name, Map, "sqlite">
    dialect: "sqlite"
  }> &
    OfSite
