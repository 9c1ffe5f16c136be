// Where things are on a store's host; the routes and every link read it here.

const segment = encodeURIComponent

export const paths = {
  home: "/",
  products: "/products",
  product: (slug: string) => `/products/${segment(slug)}`,
  galleries: "/galleries",
  gallery: (slug: string) => `/galleries/${segment(slug)}`,
  posts: "/blog",
  post: (slug: string) => `/blog/${segment(slug)}`,
  page: (slug: string) => `/pages/${segment(slug)}`,
}

/**
 * @param path of a list
 * @param page counted from 1
 * @returns the path of that page of it; the first has no query, so that it has one address only
 */
export function pageOf(path: string, page: number): string {
  return page > 1 ? `${path}?page=${page}` : path
}

/**
 * @param rootUrl scheme and host of the store, with or without a slash at its end
 * @param path from the root
 * @returns the absolute URL, for canonical links and structured data
 */
export function absolute(rootUrl: string, path: string): string {
  return rootUrl.replace(/\/+$/, "") + path
}
