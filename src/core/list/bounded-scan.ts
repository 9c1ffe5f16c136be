// Filters a list by several conditions without a table scan: one condition is looked up in its index in list order, and
// the others filter the first SCAN_LIMIT rows of that lookup.
import { type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { Slice } from "./page"

/** Rows that a scan reads at most. */
const SCAN_LIMIT = 5_000

interface FilterPlan {
  /** The indexed condition: rows that match any of these. Receives the number of rows to scan. */
  lead: (most: number) => readonly SQL[]
  /** The order of its index, if it differs from the list's: the scanned rows are then sorted. */
  by?: readonly SQL[] | undefined
  /** The remaining conditions. */
  also: SQL | undefined
  /** The list's order. */
  order: readonly SQL[]
}

/**
 * Builds the query for a slice of the matching rows.
 * @param id the column to select
 * @returns a subquery of `id`; and `scanned`, the scan limit when further matches may exist beyond it, else null
 */
export function boundedScan(
  id: SQLiteColumn,
  { lead, by, also, order }: FilterPlan,
  { limit, offset }: Slice,
): { ids: SQL; scanned: number | null } {
  const { table } = id
  // An index that yields exactly the matching rows in list order needs no more rows than the slice.
  const looked = by || also ? SCAN_LIMIT : null
  const most = looked ?? limit + offset
  const listed = sql.join([...order], sql`, `)
  const led = sql.join([...(by ?? order)], sql`, `)
  const first = lead(most).map(
    (which) => sql`select * from (select * from ${table} where ${which} order by ${led} limit ${most})`,
  )
  const ids = sql`(select ${id} from (${sql.join(first, sql` union all `)}) as ${table}
    where ${also ?? sql`true`} order by ${listed} limit ${limit} offset ${offset})`
  return { ids, scanned: looked }
}
