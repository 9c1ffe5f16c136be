// Parses a storefront URL into a route.
import { type ListQuery, parseListQuery } from "./list-query"
import { FEED, ORDERS, ROBOTS, SITEMAP } from "./paths"

/** Route of a storefront URL. The content behind it may not exist. */
export type Route =
  | { kind: "home" }
  | { kind: "list"; part: string; page: number; query: ListQuery }
  | { kind: "single"; part: string; slug: string }
  | { kind: "private"; part: string; segment: string; key: string }

/** Route of a document for search engines and feed readers. */
export type CrawlerRoute =
  | { kind: "robots" }
  | { kind: "feed" }
  | { kind: "sitemap" }
  | { kind: "sitemap_page"; part: string; page: number }

/**
 * Parses a URL in the format that `paths.ts` writes.
 * @returns null when no page can have the URL
 */
export function parseRoute({ pathname, searchParams }: URL): Route | null {
  if (pathname === "/") return { kind: "home" }
  const [, part = "", slug, ...rest] = pathname.split("/")
  if (rest.length) return null
  if (slug === undefined) {
    const page = parsePageNumber(searchParams.get("page"))
    return page ? { kind: "list", part, page, query: parseListQuery(searchParams) } : null
  }
  const name = decodeSegment(slug)
  if (name && part === ORDERS) return { kind: "private", part, segment: name, key: searchParams.get("key") ?? "" }
  return name ? { kind: "single", part, slug: name } : null
}

const SITEMAP_PAGE = /^\/sitemap-([a-z-]{1,40})-([1-9]\d{0,5})\.xml$/

/**
 * Parses the URL of a document for search engines and feed readers.
 * @returns null when the URL is not one of such a document
 */
export function parseCrawlerRoute({ pathname }: URL): CrawlerRoute | null {
  if (pathname === ROBOTS) return { kind: "robots" }
  if (pathname === FEED) return { kind: "feed" }
  if (pathname === SITEMAP) return { kind: "sitemap" }
  const [, part, page] = SITEMAP_PAGE.exec(pathname) ?? []
  return part && page ? { kind: "sitemap_page", part, page: Number(page) } : null
}

/** Page number of a list, from 1; null for invalid text. */
function parsePageNumber(text: string | null): number | null {
  if (text === null) return 1
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
