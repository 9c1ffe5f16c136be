// Queries for published content pages.
import { and, eq, type SQL, sql } from "drizzle-orm"
import { prepareSiteRead } from "../../db/prepared"
import { prepareReadByIdOrSlug } from "../../db/prepared-by-slug"
import { pages } from "../../db/schema/sites/pages"
import { shopSettings } from "../../db/schema/sites/shop-settings"
import { selectSitemapEntries } from "../crawlers/queries"
import type { ContentPage, PageLink } from "../data"

interface SiteParams {
  site: string
}

/** Links to content pages in the footer. */
export const MAX_LINKS = 20

const isPublished = eq(pages.status, "published")

/** Selects the links to the published pages. */
export const selectPageLinks = prepareSiteRead<PageLink, SiteParams>((db) =>
  db.select({ slug: pages.slug, name: pages.name }).from(pages).where(isPublished).orderBy(pages.id).limit(MAX_LINKS),
)

/** The settings of a shop that its pages show, and one of its legal pages. */
export interface LayoutSettings {
  /** JSON of the shop's appearance; null for a shop that never changed it. */
  appearance: string | null
  /** Null when the settings name no page, or one that is not published. */
  slug: string | null
  name: string | null
}

/**
 * Selects what the shop's settings add to its pages, once for each page that they name as a legal one, in the order of
 * the settings.
 */
export const selectLayoutSettings = prepareSiteRead<LayoutSettings, SiteParams>((db) =>
  db
    .select({
      appearance: sql<string | null>`json_extract(${shopSettings.settings}, '$.look')`.as("appearance"),
      slug: pages.slug,
      name: pages.name,
    })
    .from(shopSettings)
    .leftJoin(sql`json_each(${shopSettings.settings}, '$.legal_pages') as legal`, sql`true`)
    .leftJoin(pages, and(sql`${pages.slug} = legal.value`, isPublished))
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

/** The published pages for the sitemap. */
export const selectPagesForSitemap = selectSitemapEntries(
  pages,
  pages.updatedAt,
  isPublished,
  pages.createdAt,
  pages.id,
)
