// Finds the values of an indexed column that begin with a text. LIKE ignores case, so it cannot use such an index.
import { and, desc, gte, lt, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"

/** Sorts after every character of a value. */
const LAST = "\u{10ffff}"

/** Builds a range for the values that begin with a text as it is, and one for those that begin with it in upper case. */
export function beginsWith(column: SQLiteColumn, text: string): SQL[] {
  const range = (start: string) => and(gte(column, start), lt(column, `${start}${LAST}`)) ?? sql`true`
  return [...new Set([text, text.toUpperCase()])].map(range)
}

/**
 * Selects the ids of the highest values that begin with a text, at most `limit` of each of its two spellings.
 * @param id the column to select
 * @param column has an index
 */
export function selectByPrefix(id: SQLiteColumn, column: SQLiteColumn, text: string, limit: number): SQL {
  const ranges = beginsWith(column, text).map(
    (range) =>
      sql`select * from (select ${id} from ${id.table} where ${range} order by ${desc(column)} limit ${limit})`,
  )
  return sql`(${sql.join(ranges, sql` union all `)})`
}
