// Builds the paths of storefront pages: a part's list is at `/<path>`, its items are at `/<path>/<slug>`.

const encodeSegment = encodeURIComponent

export const HOME = "/"

/** Documents for search engines and feed readers. */
export const ROBOTS = "/robots.txt"
export const SITEMAP = "/sitemap.xml"
export const FEED = "/feed.xml"

/** First path segments of the parts that every store has. */
export const JOURNAL = "blog"
export const PAGES = "pages"

/** First path segment of the pages that list the posts of a category. */
export const CATEGORIES = "categories"

/** First path segment of the pages of orders, which only the holder of an order's key may see. */
export const ORDERS = "orders"

/** The page of the visitor's cart. */
export const CART = "/cart"

/** The search, the customer's account, and the pages that request a mailed link. */
export const SEARCH = "/search"
export const ACCOUNT = "/account"
export const FORGOT_PASSWORD = "/account/forgot-password"
export const RESEND_CONFIRMATION = "/account/resend-confirmation"

/** @param part first path segment of the part */
export const singlePath = (part: string, slug: string): string => `/${part}/${encodeSegment(slug)}`

/**
 * Builds the path of a list page. The first page has no query, so it has a single URL.
 * @param part first path segment of the part
 * @param page page number, from 1
 * @param query further parameters, as `formatListQuery` writes them
 */
export function listPath(part: string, page = 1, query = ""): string {
  const params = [query, page > 1 ? `page=${page}` : ""].filter(Boolean).join("&")
  return params ? `/${part}?${params}` : `/${part}`
}

/**
 * @param part first path segment of the part
 * @param page number of the sitemap page, from 1
 */
export const sitemapPagePath = (part: string, page: number): string => `/sitemap-${part}-${page}.xml`

/**
 * Builds an absolute URL for canonical links and structured data.
 * @param rootUrl scheme and host of the store, with or without a trailing slash
 * @param path path from the root
 */
export function absoluteUrl(rootUrl: string, path: string): string {
  return rootUrl.replace(/\/+$/, "") + path
}
