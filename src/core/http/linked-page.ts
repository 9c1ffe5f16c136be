// Builds `{data, links, meta}` pages for the content API and the license manager.
import { type Page, type PageRequest, toLastPage } from "../list/page"

/**
 * Builds one page.
 * @param rows the resources of the page
 * @param link returns the absolute URL of a page, with the other query parameters
 * @returns `{data, links, meta}`; `from` and `to` are null on an empty page, `prev` and `next` at the ends
 */
export function linkedPage(
  { page, per_page }: PageRequest,
  { rows, total }: Page<unknown>,
  link: (page: number) => string,
) {
  const lastPage = toLastPage(total, { per_page })
  const start = (page - 1) * per_page
  return {
    data: rows,
    links: {
      first: link(1),
      last: link(lastPage),
      prev: page > 1 ? link(Math.min(page - 1, lastPage)) : null,
      next: page < lastPage ? link(page + 1) : null,
    },
    meta: {
      current_page: page,
      from: rows.length ? start + 1 : null,
      last_page: lastPage,
      per_page,
      to: rows.length ? start + rows.length : null,
      total,
    },
  }
}

/**
 * Builds links to the pages of a list.
 * @param address the list's URL without a query
 * @param search the request's `URL.search`; everything except `page` is preserved unmodified
 * @returns a function from a page number to its link
 */
export function pageLinks(address: string, search: string): (page: number) => string {
  const params = search.slice(1).split("&").filter(Boolean)
  const pageIndex = params.findIndex(isPage)
  const at = pageIndex < 0 ? params.length : pageIndex
  const before = params
    .slice(0, at)
    .map((part) => `${part}&`)
    .join("")
  const after = params
    .slice(at)
    .filter((part) => !isPage(part))
    .map((part) => `&${part}`)
    .join("")
  return (page) => `${address}?${before}page=${page}${after}`
}

/** Whether a query parameter is `page`, whose name may be percent-encoded. */
const isPage = (part: string): boolean =>
  part === "page" || part.startsWith("page=") || (part.includes("%") && new URLSearchParams(part).has("page"))
