// Defines the triggers of an app's table. `npm run db:generate` writes them into a migration, and `npm run layers` fails
// while the migrations lack one. Every table also gets triggers that reject writes while its site is migrated.
import type { RowCounter, SiteCounter } from "../db/schema/sites/counters"

/** @typeParam Column the table's columns, by their names in TypeScript */
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
}

/** The list that is counted: one per site, or one for each value of the column `per`. */
type CounterScope<Column extends string> = { list: SiteCounter; per?: undefined } | { list: RowCounter; per: Column }
