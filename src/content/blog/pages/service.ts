// Service functions of pages.

import { and, eq, getTableColumns, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../../core/context"
import type { Input } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import type { Page } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import { WriteConflict } from "../../../core/write/commit"
import { commitSite } from "../../../core/write/site-commit"
import { batch } from "../../../db/client"
import { param } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { pages } from "../../../db/schema/sites/pages"
import { foundById, inSite } from "../../../db/site-scope"
import { foldCase } from "../../case-folding"
import type { SiteCtx, SiteRef } from "../../site"
import { getReplica } from "../caching"
import { deriveSlug } from "../fields"
import { prepareList } from "../listing"
import { assertServerToken, hasServerToken } from "../server-token"
import type { ListPages, PageRow, SavePage } from "./schemas"

const { content: _, ...listColumns } = getTableColumns(pages)

const site = param("site")

const belongsToSite = eq(pages.siteId, site)

const status = param("status")

const readList = prepareList<Omit<PageRow, "content">>({
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
 * @throws Refusal `unauthenticated`, `forbidden` for a status other than published without a server token
 */
export async function listPages(
  ctx: SiteCtx,
  input: z.output<typeof ListPages>,
): Promise<Page<Omit<PageRow, "content">>> {
  if (input.status !== "published") assertServerToken(ctx)
  return readList(getReplica(ctx), input, { site: ctx.site.id, status: input.status }, {})
}

const selectPage = prepareReadByIdOrSlug<PageRow, { site: string; includeUnpublished: number }>(pages, (db, isMatch) =>
  db
    .select()
    .from(pages)
    .where(and(isMatch, sql`(${pages.status} = 'published' or ${param("includeUnpublished")} = 1)`)),
)

/**
 * Reads one page by id or slug. Unpublished pages require a server token.
 * @throws Refusal `not_found`
 */
export async function readPage(ctx: SiteCtx, segment: string): Promise<PageRow> {
  const [[page]] = await batch(getReplica(ctx), [
    selectPage({ site: ctx.site.id, includeUnpublished: Number(hasServerToken(ctx)) }, segment),
  ])
  if (!page) throw new Refusal("not_found")
  return page
}

/**
 * Creates a page, or replaces the one with the same slug.
 * @param options `isNew`: refuse a slug that is taken
 * @throws Refusal `validation_failed` for a slug that is taken, or a title that yields none
 */
export async function savePage(
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof SavePage>,
  options: { isNew: boolean } = { isNew: false },
): Promise<PageRow & { isNew: boolean }> {
  const slug = deriveSlug(input)
  if (slug === null) throw input.reject("slug", "required")
  const { name, description = null, content, image = null, template, status } = input.complete({ slug: null })
  const values = { name, nameKey: foldCase(name), description, content, image, template, status, updatedAt: ctx.now }
  const { id: siteId } = site
  const id = sql`(select ${pages.id} from ${pages} where ${and(eq(pages.siteId, siteId), eq(pages.slug, slug))})`
  const row = inSite(siteId)
    .insert(pages)
    .values({ slug, ...values, createdAt: ctx.now })
  const [[existing], [page]] = await commitSite(ctx, site, {
    writes: [
      site.db.select({ id: pages.id }).from(pages).where(eq(pages.slug, slug)),
      (options.isNew ? row : row.onConflictDoUpdate({ target: [pages.siteId, pages.slug], set: values })).returning(
        getTableColumns(pages),
      ),
    ],
    auditLog: [{ subject: "page", id, action: "saved", after: { slug, name } }],
  }).catch((cause) => {
    throw options.isNew && cause instanceof WriteConflict ? input.reject("slug", "duplicate") : cause
  })
  if (!page) throw new Error("The page was not stored")
  return { ...page, isNew: existing === undefined }
}
