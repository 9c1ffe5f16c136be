// Totals of a site's lists, as triggers keep them: read by its API and by its pages alike.
import { and, eq, type Placeholder, type SQL, sql } from "drizzle-orm"
import { type RowCounter, type SiteCounter, siteCounters } from "../../db/schema/sites/counters"

/**
 * A list's total as its triggers keep it.
 * @param list its name, or what `counterOf` answered
 */
export const countedAt = (
  siteId: string | Placeholder,
  list: SiteCounter | RowList,
  filter: string | Placeholder = "",
): SQL =>
  sql`(select coalesce((select ${siteCounters.total} from ${siteCounters} where ${and(
    eq(siteCounters.siteId, siteId),
    eq(siteCounters.list, typeof list === "string" ? list : list.name),
    eq(siteCounters.filter, filter),
  )}), 0))`

/** The name of a list that belongs to one row. */
interface RowList {
  name: SQL
}

/**
 * The list of one row of a site: a user's inbox, a product's reviews.
 * @param row its id, or SQL for one that only the database knows
 */
export const counterOf = (list: RowCounter, row: SQL | number): RowList => ({
  // A number in the database's hands would be written as `12.0`.
  name: typeof row === "number" ? sql`${`${list}:${row}`}` : sql`${`${list}:`} || ${row}`,
})
