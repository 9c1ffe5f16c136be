// Reads the totals of a site's lists from trigger-maintained counters.
import { and, eq, type Placeholder, type SQL, sql } from "drizzle-orm"
import { type RowCounter, type SiteCounter, siteCounters } from "../../db/schema/sites/counters"

/**
 * Selects a list's total from its counter.
 * @param list the list, or the list of one row from `rowCounter`
 */
export const selectSiteCounter = (
  siteId: string | Placeholder,
  list: SiteCounter | RowList,
  filter: string | Placeholder = "",
): SQL =>
  sql`(select coalesce((select ${siteCounters.total} from ${siteCounters} where ${and(
    eq(siteCounters.siteId, siteId),
    eq(siteCounters.list, typeof list === "string" ? list : list.name),
    eq(siteCounters.filter, filter),
  )}), 0))`

/** The counter name of a list that belongs to one row. */
interface RowList {
  name: SQL
}

/**
 * Names the list of one row: a user's inbox, a product's reviews.
 * @param row the row's id, or an expression when only the database knows it
 */
export const rowCounter = (list: RowCounter, row: SQL | number): RowList => ({
  // SQLite would format a bound JavaScript number as `12.0`.
  name: typeof row === "number" ? sql`${`${list}:${row}`}` : sql`${`${list}:`} || ${row}`,
})
