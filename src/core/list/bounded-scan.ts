// Rows that meet several conditions, found without reading their table: one condition leads, through its index and in the list's order,
// and the others are sifted from the first of what it leads to.
import { type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { Slice } from "./page"

/** Rows that are sifted at most. */
const SCAN_LIMIT = 5_000

interface FilterPlan {
  /** The condition that leads, written as its index has it: rows that meet any of these. Given how many of them are looked at. */
  lead: (most: number) => readonly SQL[]
  /** The order in which its index leads to them, where that is not the list's: as many as are looked at are sorted. */
  by?: readonly SQL[] | undefined
  /** What else a row has to be. */
  also: SQL | undefined
  /** The list's order. */
  order: readonly SQL[]
}

/**
 * A slice of the rows that are sought.
 * @param id the column that the answer names them by
 * @returns a query of these in brackets; and `looked`, how many rows are looked at where others may be further back, else null
 */
export function boundedScan(
  id: SQLiteColumn,
  { lead, by, also, order }: FilterPlan,
  { limit, offset }: Slice,
): { ids: SQL; looked: number | null } {
  const { table } = id
  // Where an index leads to just the rows that are wanted, in their order, no more are looked at than are shown.
  const looked = by || also ? SCAN_LIMIT : null
  const most = looked ?? limit + offset
  const listed = sql.join([...order], sql`, `)
  const led = sql.join([...(by ?? order)], sql`, `)
  const first = lead(most).map(
    (which) => sql`select * from (select * from ${table} where ${which} order by ${led} limit ${most})`,
  )
  const ids = sql`(select ${id} from (${sql.join(first, sql` union all `)}) as ${table}
    where ${also ?? sql`true`} order by ${listed} limit ${limit} offset ${offset})`
  return { ids, looked }
}
