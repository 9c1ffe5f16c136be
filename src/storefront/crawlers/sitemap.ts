// Renders the sitemap of a shop (https://www.sitemaps.org/protocol.html). A small shop has one document. Once a part has
// more URLs than a sitemap page, the sitemap is an index of sitemap pages.
import type { SQL } from "drizzle-orm"
import type { SiteCounter } from "../../db/schema/sites/counters"
import type { Pagination } from "../data"
import { createListLoader, type SelectPublished } from "../list"
import { absoluteUrl, CATEGORIES, HOME, listPath, PAGES, singlePath, sitemapPagePath } from "../paths"
import { element, XML_DECLARATION } from "./xml"

/** URLs per sitemap page. The protocol allows 50,000; this bounds the rows that one request reads. */
const MAX_URLS_PER_PAGE = 1_000

/** A published page. */
export interface SitemapEntry {
  slug: string
  /** When the page's content changed; null if only a part of it is known, as for a list. */
  updatedAt: Date | null
}

/** The URLs of a part on one page of the sitemap. */
export interface SitemapPage extends Pagination {
  part: string
  entries: SitemapEntry[]
}

/**
 * Creates the loader of a part's sitemap pages.
 * @param part first path segment of the part
 * @param total see `createListLoader`
 */
export const createSitemapLoader = (part: string, total: SQL | SiteCounter, select: SelectPublished<SitemapEntry>) =>
  createListLoader<SitemapEntry, SitemapPage>(
    total,
    select,
    (entries, pagination) => ({ part, entries, ...pagination }),
    MAX_URLS_PER_PAGE,
  )

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/**
 * Renders the sitemap.
 * @param rootUrl scheme and host of the store
 * @param first the first sitemap page of every part
 * @returns all URLs, or an index when a part has more than one sitemap page
 */
export function renderSitemap(rootUrl: string, first: readonly SitemapPage[]): string {
  if (first.every(({ lastPage }) => lastPage === 1)) return renderUrls(rootUrl, first)
  const paths = first.flatMap(({ part, lastPage }) =>
    Array.from({ length: lastPage }, (_, index) => sitemapPagePath(part, index + 1)),
  )
  const sitemaps = paths.map((path) => `<sitemap>${element("loc", absoluteUrl(rootUrl, path))}</sitemap>`)
  return `${XML_DECLARATION}<sitemapindex ${NAMESPACE}>\n${sitemaps.join("\n")}\n</sitemapindex>\n`
}

/** Renders the URLs of sitemap pages. The first page of a part also has the URL of the part's list, if any. */
export function renderUrls(rootUrl: string, pages: readonly SitemapPage[]): string {
  const urls = pages.flatMap(({ part, page, entries }) => [
    ...(page === 1 ? listPathsOf(part).map((path) => renderUrl(rootUrl, path, null)) : []),
    ...entries.map(({ slug, updatedAt }) => renderUrl(rootUrl, singlePath(part, slug), updatedAt)),
  ])
  return `${XML_DECLARATION}<urlset ${NAMESPACE}>\n${urls.join("\n")}\n</urlset>\n`
}

/** Content pages have the front page instead of a list. Categories have neither. */
function listPathsOf(part: string): string[] {
  if (part === PAGES) return [HOME]
  return part === CATEGORIES ? [] : [listPath(part)]
}

const renderUrl = (rootUrl: string, path: string, updatedAt: Date | null): string =>
  `<url>${element("loc", absoluteUrl(rootUrl, path))}${updatedAt ? element("lastmod", updatedAt.toISOString()) : ""}</url>`
