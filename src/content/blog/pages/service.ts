// Reads pages for the API: published ones for everyone, all of them for server tokens and staff.

import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import type { Page } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import { batch } from "../../../db/client"
import { param } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { pages } from "../../../db/schema/sites/pages"
import { foundById } from "../../../db/site-scope"
import type { SiteCtx } from "../../site"
import { getReplica } from "../caching"
import { prepareList } from "../listing"
import { assertReadsUnpublished, mayReadUnpublished, readsUnpublished } from "../unpublished"
import type { ListedPageRow, ListPages, PageRow } from "./schemas"

const listColumns = {
  id: pages.id,
  name: pages.name,
  slug: pages.slug,
  description: pages.description,
  image: pages.image,
  template: pages.template,
  status: pages.status,
  createdAt: pages.createdAt,
  updatedAt: pages.updatedAt,
}

const site = param("site")

const belongsToSite = eq(pages.siteId, site)

const status = param("status")

const readList = prepareList<ListedPageRow>({
  table: pages,
  rows: (db, isOnPage, order) =>
    db
      .select(listColumns)
      .from(foundById(pages))
      .where(isOnPage)
      .orderBy(...order),
  source: () => ({
    total: selectSiteCounter(site, "pages", status),
    ids: sql`select ${pages.id} from ${pages} where ${and(belongsToSite, eq(pages.status, status))}`,
    isIndexed: true,
  }),
})

/**
 * Lists a page of pages.
 * @throws Refusal `unauthenticated`, `forbidden` for a status other than published, unless the caller has a server
 *   token or is staff
 */
export async function listPages(ctx: SiteCtx, input: z.output<typeof ListPages>): Promise<Page<ListedPageRow>> {
  const { status } = input
  if (status !== "published" && !mayReadUnpublished(ctx)) await assertReadsUnpublished(ctx)
  const [, page] = await Promise.all([
    status !== "published" && assertReadsUnpublished(ctx),
    readList(getReplica(ctx), input, { site: ctx.site.id, status }, {}),
  ])
  return page
}

/** Selects a page by id or slug; unpublished ones only with `includeUnpublished`. */
export const selectPage = prepareReadByIdOrSlug<PageRow, { site: string; includeUnpublished: number }>(
  pages,
  (db, isMatch) =>
    db
      .select()
      .from(pages)
      .where(and(isMatch, sql`(${pages.status} = 'published' or ${param("includeUnpublished")} = 1)`)),
)

/**
 * Reads one page by id or slug. Unpublished pages require a server token or staff.
 * @throws Refusal `not_found`
 */
export async function readPage(ctx: SiteCtx, segment: string): Promise<PageRow> {
  const includeUnpublished = mayReadUnpublished(ctx)
  const [isAllowed, [[page]]] = await Promise.all([
    includeUnpublished && readsUnpublished(ctx),
    batch(getReplica(ctx), [
      selectPage({ site: ctx.site.id, includeUnpublished: Number(includeUnpublished) }, segment),
    ]),
  ])
  if (!page || (!isAllowed && page.status !== "published")) throw new Refusal("not_found")
  return page
}
