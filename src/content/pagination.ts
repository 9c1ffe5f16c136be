// Pages of this surface's lists: `page` and `per_page`, where too many a page means as many as are allowed.
import { and, eq, type SQL, sql } from "drizzle-orm"
import { queryNumber } from "../core/validation"
import { siteCounters } from "../db/schema/sites/counters"

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
 * @param list a name, or SQL where it holds the id of a user who is not known yet
 */
export const countedAt = (siteId: string, list: string | SQL, filter = ""): SQL =>
  sql`(select coalesce((select ${siteCounters.total} from ${siteCounters} where ${and(
    eq(siteCounters.siteId, siteId),
    eq(siteCounters.list, list),
    eq(siteCounters.filter, filter),
  )}), 0))`
