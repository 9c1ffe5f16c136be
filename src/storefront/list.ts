// Loads one page of a storefront list or sitemap, newest rows first, with its pagination.
import { type SQL, sql } from "drizzle-orm"
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

/** Parameters of the queries of lists. */
export interface ListParams {
  site: string
  /** In milliseconds since 1970. */
  now: number
}

/** Returns the parameters of a scope's queries. */
export const toListParams = ({ siteId, now }: SiteScope): ListParams => ({ site: siteId, now: now.getTime() })

/** Counts the published rows of one kind. */
const publishedTotal = (counter: SiteCounter): SQL => selectSiteCounter(param("site"), counter, "published")

/** Prepares the query of a total. */
export const prepareTotal = (total: SQL): ((values: ListParams) => PreparedRead<Total>) =>
  prepareSiteRead((db) => db.select({ total: sql<number>`${total}` }).from(sql`(select 1)`))

/** Builds the query for a slice of the published rows of the site `param("site")`, forward or backward. */
export type SelectPublished<Row> = (db: SiteDatabase, slice: Slice, direction: "forward" | "backward") => Query<Row>

/**
 * Creates the loader of a list's pages.
 * @param total the list's total, or the counter of its published rows that triggers maintain
 * @param build builds the result from the rows of a page
 * @param pageSize rows of a page
 * @returns a loader whose result is null past the last page; an empty list has one page
 */
export function createListLoader<Row, Loaded = Page>(
  total: SQL | SiteCounter,
  select: SelectPublished<Row>,
  build: (rows: Row[], pagination: Pagination) => Loaded,
  pageSize = PAGE_SIZE,
): (place: SiteScope, page: number) => PageLoader<Loaded> {
  const selectPages = prepareSitePages<Row, ListParams>(
    typeof total === "string" ? publishedTotal(total) : total,
    select,
  )
  return (scope, page) => ({
    reads: selectPages({ page, per_page: pageSize }, toListParams(scope)),
    load(results) {
      const { rows, total: count } = pageFrom(results as [Total[], ...Row[][]])
      const lastPage = Math.max(1, Math.ceil(count / pageSize))
      return page > lastPage ? null : build(rows, { page, lastPage })
    },
  })
}
