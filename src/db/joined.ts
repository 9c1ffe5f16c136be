// Joins inside a batch. D1 answers a batch with rows keyed by bare column names, so that of two joined tables' `id` only one
// would arrive: here every column carries its table's name.
import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"

type Row<T extends SQLiteTable> = T["$inferSelect"]

type Named<T extends SQLiteTable> = { [K in keyof Row<T> & string]: SQL.Aliased<Row<T>[K]> }

/** All columns of a table for a `select`, each under a name of its own. */
export function named<T extends SQLiteTable>(table: T): Named<T> {
  const columns = Object.entries(getTableColumns(table)).map(([key, column]) => [
    key,
    sql`${column}`.mapWith(column).as(`${getTableName(table)}_${column.name}`),
  ])
  return Object.fromEntries(columns) as Named<T>
}

/** What a left join found: the row, or null when all it brought are nulls. */
export const joined = <R extends object>(row: R): R | null =>
  Object.values(row).some((value) => value !== null) ? row : null
