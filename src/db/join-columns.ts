// Joins inside a batch. D1 answers a batch with rows keyed by bare column names, so that of two joined tables' `id` only one
// would arrive: here every column carries its table's name.
import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"

type Row<T extends SQLiteTable> = T["$inferSelect"]

type Named<T extends SQLiteTable, K extends keyof Row<T> & string> = { [Key in K]: SQL.Aliased<Row<T>[Key]> }

/**
 * Columns of a table for a `select`, each under a name of its own.
 * @param keys which ones; all of them unless said
 */
export function named<T extends SQLiteTable, const K extends keyof Row<T> & string = keyof Row<T> & string>(
  table: T,
  keys?: readonly K[],
): Named<T, K> {
  const all: Record<string, SQLiteColumn> = getTableColumns(table)
  const columns = (keys ?? Object.keys(all)).map((key) => {
    const column = all[key]
    if (!column) throw new Error(`${getTableName(table)} has no column ${key}`)
    return [key, sql`${column}`.mapWith(column).as(`${getTableName(table)}_${column.name}`)]
  })
  return Object.fromEntries(columns) as Named<T, K>
}

/** What a left join found: the row, or null when all it brought are nulls. */
export const joined = <R extends object>(row: R): R | null =>
  Object.values(row).some((value) => value !== null) ? row : null
