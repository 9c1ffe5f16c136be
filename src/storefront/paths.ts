// Where things are on a store's host: a part of the storefront has a list at `/<path>` and what is on it below.

const segment = encodeURIComponent

export const HOME = "/"

/** The first segments of the parts that every store has. */
export const JOURNAL = "blog"
export const PAGES = "pages"

/** @param part the first segment of its paths */
export const singlePath = (part: string, slug: string): string => `/${part}/${segment(slug)}`

/**
 * @param part the first segment of its paths
 * @param page of its list, counted from 1
 * @returns the path of that page; the first has no query, so that it has one address only
 */
export const listPath = (part: string, page = 1): string => (page > 1 ? `/${part}?page=${page}` : `/${part}`)

/**
 * @param rootUrl scheme and host of the store, with or without a slash at its end
 * @param path from the root
 * @returns the absolute URL, for canonical links and structured data
 */
export function absolute(rootUrl: string, path: string): string {
  return rootUrl.replace(/\/+$/, "") + path
}
