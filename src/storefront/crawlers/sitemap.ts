// Renders the sitemap of a shop (https://www.sitemaps.org/protocol.html). A small shop has one document. Once a part has
// more pages than a piece, the sitemap is an index of pieces.
import type { SQL } from "drizzle-orm"
import type { SiteCounter } from "../../db/schema/sites/counters"
import type { Pagination } from "../data"
import { createListLoader, type SelectPublished } from "../list"
import { absoluteUrl, CATEGORIES, HOME, listPath, PAGES, singlePath, sitemapPiecePath } from "../paths"
import { element, XML_DECLARATION } from "./xml"

/** Pages in a piece. The protocol allows 50,000; this bounds the rows that one request reads. */
const PIECE_SIZE = 1_000

/** A published page. */
export interface SitemapEntry {
  slug: string
  /** When the page's content changed; null if only a part of it is known, as for a list. */
  updatedAt: Date | null
}

/** The pages of a part in one piece of the sitemap. */
export interface SitemapPiece extends Pagination {
  part: string
  entries: SitemapEntry[]
}

/**
 * Creates the loader of a part's pieces.
 * @param part first path segment of the part
 * @param total see `createListLoader`
 */
export const createSitemapLoader = (part: string, total: SQL | SiteCounter, select: SelectPublished<SitemapEntry>) =>
  createListLoader<SitemapEntry, SitemapPiece>(
    total,
    select,
    (entries, pagination) => ({ part, entries, ...pagination }),
    PIECE_SIZE,
  )

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/**
 * Renders the sitemap.
 * @param rootUrl scheme and host of the store
 * @param first the first piece of every part
 * @returns all pages, or an index when a part has more than one piece
 */
export function renderSitemap(rootUrl: string, first: readonly SitemapPiece[]): string {
  if (first.every(({ lastPage }) => lastPage === 1)) return renderUrls(rootUrl, first)
  const paths = first.flatMap(({ part, lastPage }) =>
    Array.from({ length: lastPage }, (_, index) => sitemapPiecePath(part, index + 1)),
  )
  const sitemaps = paths.map((path) => `<sitemap>${element("loc", absoluteUrl(rootUrl, path))}</sitemap>`)
  return `${XML_DECLARATION}<sitemapindex ${NAMESPACE}>\n${sitemaps.join("\n")}\n</sitemapindex>\n`
}

/** Renders a document with the pages of pieces. The first piece of a part contains the part's list page too, if any. */
export function renderUrls(rootUrl: string, pieces: readonly SitemapPiece[]): string {
  const urls = pieces.flatMap(({ part, page, entries }) => [
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
