// Loads one page of a storefront list or sitemap, newest rows first, with its pagination.
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

/** Builds the query for a slice of the published rows of the site `param("site")`, forward or backward. */
export type SelectPublished<Row> = (db: SiteDatabase, slice: Slice, direction: "forward" | "backward") => Query<Row>

/**
 * Creates the loader of a list's pages.
 * @param counter counter of the list's total, maintained by triggers
 * @param build builds the result from the rows of a page
 * @param pageSize rows of a page
 * @returns a loader whose result is null past the last page; an empty list has one page
 */
export function createListLoader<Row, Loaded = Page>(
  counter: SiteCounter,
  select: SelectPublished<Row>,
  build: (rows: Row[], pagination: Pagination) => Loaded,
  pageSize = PAGE_SIZE,
): (place: SiteScope, page: number) => PageLoader<Loaded> {
  const selectPages = prepareSitePages<Row, { site: string }>(countPublishedOf(counter), select)
  return ({ siteId: site }, page) => ({
    reads: selectPages({ page, per_page: pageSize }, { site }),
    load(results) {
      const { rows, total } = pageFrom(results as [Total[], ...Row[][]])
      const lastPage = Math.max(1, Math.ceil(total / pageSize))
      return page > lastPage ? null : build(rows, { page, lastPage })
    },
  })
}
