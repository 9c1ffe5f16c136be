// A page of a list on the storefront: its rows, the newest first, and its place among the others.
import { sql } from "drizzle-orm"
import { compiledPages, pageFrom, type Slice } from "../core/list/page"
import { countedAt } from "../core/list/site-totals"
import type { SiteDatabase } from "../db/client"
import { type CompiledRead, compiled, given, type Query } from "../db/prepared"
import type { SiteCounter } from "../db/schema/sites/counters"
import type { Pagination } from "./data"
import type { Page, Place, Reading } from "./part"

const PER_PAGE = 12

interface Total {
  total: number
}

const published = (counter: SiteCounter) => countedAt(given("site"), counter, "published")

/** The read of how many things of a kind a site has published. */
export const countPublished = (counter: SiteCounter): ((values: { site: string }) => CompiledRead<Total>) =>
  compiled((db) => db.select({ total: sql<number>`${published(counter)}` }).from(sql`(select 1)`))

/**
 * The reads of a list's pages.
 * @param counter the list's total, as triggers keep it
 * @param select the statement for a slice of what the site `given("site")` has published, in the list's order or in the reverse
 * @param write the page
 * @returns a reading that finds nothing past the end; of an empty list there is a first page
 */
export function listOf<Row>(
  counter: SiteCounter,
  select: (db: SiteDatabase, slice: Slice, direction: "forward" | "backward") => Query<Row>,
  write: (rows: Row[], pagination: Pagination) => Page,
): (place: Place, page: number) => Reading<Page> {
  const pages = compiledPages<Row, { site: string }>(published(counter), select)
  return ({ siteId: site }, page) => ({
    reads: pages({ page, per_page: PER_PAGE }, { site }),
    found(answers) {
      const { rows, total } = pageFrom(answers as [Total[], ...Row[][]])
      const lastPage = Math.max(1, Math.ceil(total / PER_PAGE))
      return page > lastPage ? null : write(rows, { page, lastPage })
    },
  })
}
