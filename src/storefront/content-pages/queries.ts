// Queries for published content pages.
import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import type { Slice } from "../../core/list/page"
import type { SiteDatabase } from "../../db/client"
import { prepareSiteRead } from "../../db/prepared"
import { prepareReadByIdOrSlug } from "../../db/prepared-by-slug"
import { pages } from "../../db/schema/sites/pages"
import { shopSettings } from "../../db/schema/sites/shop-settings"
import type { ContentPage, PageLink } from "../data"

interface SiteParams {
  site: string
}

/** Links to content pages in the footer. */
const MAX_LINKS = 20

const isPublished = eq(pages.status, "published")

/** Selects the links to the published pages. */
export const selectPageLinks = prepareSiteRead<PageLink, SiteParams>((db) =>
  db.select({ slug: pages.slug, name: pages.name }).from(pages).where(isPublished).orderBy(pages.id).limit(MAX_LINKS),
)

/** Selects the published pages that the shop's settings name as legal ones, in the order of the settings. */
export const selectLegalPages = prepareSiteRead<PageLink, SiteParams>((db) =>
  db
    .select({ slug: pages.slug, name: pages.name })
    .from(shopSettings)
    .innerJoin(sql`json_each(${shopSettings.settings}, '$.legal_pages') as legal`, sql`true`)
    .innerJoin(pages, and(sql`${pages.slug} = legal.value`, isPublished))
    .orderBy(sql`legal.key`),
)

const preparePage = (condition: SQL | undefined) =>
  prepareReadByIdOrSlug<ContentPage, SiteParams>(pages, (db, matchesIdOrSlug) =>
    db
      .select({
        slug: pages.slug,
        name: pages.name,
        description: pages.description,
        image: pages.image,
        content: pages.content,
      })
      .from(pages)
      .where(and(condition, matchesIdOrSlug)),
  )

export const selectPage = preparePage(isPublished)

/** Selects a page for a preview, whatever its status. */
export const selectAnyPage = preparePage(undefined)

/** Builds the query for a slice of the published pages, newest first. */
export const selectPagesForSitemap = (
  db: SiteDatabase,
  { limit, offset }: Slice,
  direction: "forward" | "backward",
) => {
  const order = direction === "backward" ? asc : desc
  return db
    .select({ slug: pages.slug, updatedAt: pages.updatedAt })
    .from(pages)
    .where(isPublished)
    .orderBy(order(pages.createdAt), order(pages.id))
    .limit(limit)
    .offset(offset)
}
