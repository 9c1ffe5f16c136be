// Pages of this surface's lists: `page` and `per_page`, where too many a page means as many as are allowed.
import { and, eq, type Placeholder, type SQL, sql } from "drizzle-orm"
import { queryNumber } from "../core/validation"
import { type RowCounter, type SiteCounter, siteCounters } from "../db/schema/sites/counters"

/**
 * The query parameters of a paginated list.
 * @param bounds how many rows a page has when nothing is said, and at most
 */
export const pageQuery = ({ perPage = 10, max = 100 }: { perPage?: number; max?: number } = {}) => ({
  page: queryNumber().default(1),
  per_page: queryNumber()
    .transform((value) => Math.min(value, max))
    .default(perPage),
})

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
