// Loads the documents for search engines and feed readers: robots.txt, sitemaps and the feed.
import { batch, type SiteDatabase } from "../../db/client"
import { assertNever } from "../../lib/assert-never"
import { contentPagesSitemap } from "../content-pages/sitemap"
import { categoriesSitemap } from "../journal/category"
import { selectFeedPosts } from "../journal/queries"
import { toListParams } from "../list"
import type { CrawlerRoute } from "../parse-route"
import type { PageLoader, SiteScope, StorefrontPart } from "../part"
import { CATEGORIES, PAGES } from "../paths"
import { type FeedPost, renderFeed } from "./feed"
import { renderRobots } from "./robots"
import { renderSitemap, renderUrls, type SitemapPage } from "./sitemap"

/** The sitemaps of the pages that every store has, by their first path segment. */
const SITEMAPS = new Map([
  [PAGES, contentPagesSitemap],
  [CATEGORIES, categoriesSitemap],
])

/** The store that a document is about. */
interface CrawledShop {
  name: string
  /** Scheme and host of the store. */
  rootUrl: string
}

/** A document with its media type. */
export interface CrawlerDocument {
  text: string
  type: "text/plain" | "application/xml" | "application/rss+xml"
}

/**
 * Loads a document in one round trip.
 * @param db the store's site database
 * @param parts storefront parts of the store
 * @returns null for a page of the sitemap that does not exist
 */
export async function loadCrawlerDocument(
  db: SiteDatabase,
  scope: SiteScope,
  shop: CrawledShop,
  parts: readonly StorefrontPart[],
  route: CrawlerRoute,
): Promise<CrawlerDocument | null> {
  switch (route.kind) {
    case "robots":
      return { text: renderRobots(shop.rootUrl), type: "text/plain" }
    case "feed": {
      const [posts] = await batch(db, [selectFeedPosts(toListParams(scope))])
      return { text: renderFeed(shop, posts as FeedPost[]), type: "application/rss+xml" }
    }
    case "sitemap": {
      const sitemaps = [...SITEMAPS.values(), ...parts.flatMap(({ sitemap }) => sitemap ?? [])]
      const loaders = sitemaps.map((sitemap) => sitemap(scope, 1))
      return { text: renderSitemap(shop.rootUrl, await loadAll(db, loaders)), type: "application/xml" }
    }
    case "sitemap_page": {
      const { part: path, page } = route
      const sitemap = SITEMAPS.get(path) ?? parts.find((part) => part.path === path)?.sitemap
      const pages = sitemap ? await loadAll(db, [sitemap(scope, page)]) : []
      return pages.length ? { text: renderUrls(shop.rootUrl, pages), type: "application/xml" } : null
    }
    default:
      return assertNever(route)
  }
}

/** Loads sitemap pages in one round trip; those that do not exist are left out. */
async function loadAll(db: SiteDatabase, loaders: readonly PageLoader<SitemapPage>[]): Promise<SitemapPage[]> {
  const results = await batch(
    db,
    loaders.flatMap(({ reads }) => reads),
  )
  const rest = [...results]
  return loaders
    .map(({ reads, load }) => load(rest.splice(0, reads.length)))
    .filter((page): page is SitemapPage => page !== null)
}
