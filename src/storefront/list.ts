// Loads one page of a storefront list, newest rows first, with its pagination.
import { sql } from "drizzle-orm"
import { pageFrom, prepareSitePages, type Slice } from "../core/list/page"
import { selectSiteCounter } from "../core/list/site-totals"
import type { SiteDatabase } from "../db/client"
import { type PreparedRead, param, prepareSiteRead, type Query } from "../db/prepared"
import type { SiteCounter } from "../db/schema/sites/counters"
import type { Pagination } from "./data"
import type { Page, PageLoader, SiteScope } from "./part"

const PAGE_SIZE = 12

interface Total {
  total: number
}

const countPublishedOf = (counter: SiteCounter) => selectSiteCounter(param("site"), counter, "published")

/** Compiles the query that counts the published rows of one kind. */
export const countPublished = (counter: SiteCounter): ((values: { site: string }) => PreparedRead<Total>) =>
  prepareSiteRead((db) => db.select({ total: sql<number>`${countPublishedOf(counter)}` }).from(sql`(select 1)`))

/**
 * Creates the loader of a list's pages.
 * @param counter counter of the list's total, maintained by triggers
 * @param select builds the query for a slice of the published rows of the site `param("site")`, forward or backward
 * @param renderPage renders the rows of a page
 * @returns a loader whose result is null past the last page; an empty list has one page
 */
export function createListLoader<Row>(
  counter: SiteCounter,
  select: (db: SiteDatabase, slice: Slice, direction: "forward" | "backward") => Query<Row>,
  renderPage: (rows: Row[], pagination: Pagination) => Page,
): (place: SiteScope, page: number) => PageLoader<Page> {
  const selectPages = prepareSitePages<Row, { site: string }>(countPublishedOf(counter), select)
  return ({ siteId: site }, page) => ({
    reads: selectPages({ page, per_page: PAGE_SIZE }, { site }),
    load(results) {
      const { rows, total } = pageFrom(results as [Total[], ...Row[][]])
      const lastPage = Math.max(1, Math.ceil(total / PAGE_SIZE))
      return page > lastPage ? null : renderPage(rows, { page, lastPage })
    },
  })
}
