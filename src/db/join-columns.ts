// Aliases the columns of joined tables. D1 keys the rows of a batch by bare column name, so only one of two tables'
// `id` would arrive.
import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"

type Row<T extends SQLiteTable> = T["$inferSelect"]

type AliasedColumns<T extends SQLiteTable, K extends keyof Row<T> & string> = { [Key in K]: SQL.Aliased<Row<T>[Key]> }

/**
 * Returns a table's columns for a `select`, each aliased as `<table>_<column>`.
 * @param keys the columns; all by default
 */
export function aliasedColumns<T extends SQLiteTable, const K extends keyof Row<T> & string = keyof Row<T> & string>(
  table: T,
  keys?: readonly K[],
): AliasedColumns<T, K> {
  const all: Record<string, SQLiteColumn> = getTableColumns(table)
  const columns = (keys ?? Object.keys(all)).map((key) => {
    const column = all[key]
    if (!column) throw new Error(`${getTableName(table)} has no column ${key}`)
    return [key, sql`${column}`.mapWith(column).as(`${getTableName(table)}_${column.name}`)]
  })
  return Object.fromEntries(columns) as AliasedColumns<T, K>
}

/** Returns the row of a left join, or null when every column is null. */
export const nullIfUnmatched = <R extends object>(row: R): R | null =>
  Object.values(row).some((value) => value !== null) ? row : null
