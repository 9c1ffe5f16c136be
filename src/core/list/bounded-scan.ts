// Filters a list by several conditions without a table scan: one condition is looked up in its index in list order, and
// the others filter the first SCAN_LIMIT rows of that lookup.
import { type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { Slice } from "./page"

/** Maximum number of rows that a scan reads. */
const SCAN_LIMIT = 5_000

interface FilterPlan {
  /** The indexed condition: rows that match any of these. Receives the number of rows to scan. */
  indexed: (limit: number) => readonly SQL[]
  /** The order of its index, if it differs from the list's: the scanned rows are then sorted. */
  indexOrder?: readonly SQL[] | undefined
  /** The remaining conditions. */
  filter: SQL | undefined
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
  { indexed, indexOrder, filter, order }: FilterPlan,
  { limit, offset }: Slice,
): { ids: SQL; scanned: number | null } {
  const { table } = id
  // An index that yields exactly the matching rows in list order needs no more rows than the slice.
  const scanned = indexOrder || filter ? SCAN_LIMIT : null
  const scanLimit = scanned ?? limit + offset
  const listOrder = sql.join([...order], sql`, `)
  const scanOrder = sql.join([...(indexOrder ?? order)], sql`, `)
  const scans = indexed(scanLimit).map(
    (condition) =>
      sql`select * from (select * from ${table} where ${condition} order by ${scanOrder} limit ${scanLimit})`,
  )
  const ids = sql`(select ${id} from (${sql.join(scans, sql` union all `)}) as ${table}
    where ${filter ?? sql`true`} order by ${listOrder} limit ${limit} offset ${offset})`
  return { ids, scanned }
}
