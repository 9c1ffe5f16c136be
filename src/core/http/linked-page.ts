// A page with its links, in the form that clients of the content API and of the license manager know.
import type { Page, PageRequest } from "../list/page"

/**
 * @param page its rows as they are to be shown
 * @param link the absolute URL of a page, which keeps the query's other values
 * @returns `{data, links, meta}`; `from` and `to` are null on an empty page, `prev` and `next` at the ends
 */
export function linkedPage(
  { page, per_page }: PageRequest,
  { rows, total }: Page<unknown>,
  link: (page: number) => string,
) {
  const lastPage = Math.max(1, Math.ceil(total / per_page))
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
 * The links to the pages of a list.
 * @param address the list's own
 * @param search the query it was asked with, as `URL.search` has it; all but the page is kept as it stands
 * @returns a function from a page's number to its link
 */
export function pageLinks(address: string, search: string): (page: number) => string {
  const asked = search.slice(1).split("&").filter(Boolean)
  const place = asked.findIndex(isPage)
  const at = place < 0 ? asked.length : place
  const before = asked
    .slice(0, at)
    .map((part) => `${part}&`)
    .join("")
  const after = asked
    .slice(at)
    .filter((part) => !isPage(part))
    .map((part) => `&${part}`)
    .join("")
  return (page) => `${address}?${before}page=${page}${after}`
}

/** Whether a part of a query is the page's, whose name may be escaped. */
const isPage = (part: string): boolean =>
  part === "page" || part.startsWith("page=") || (part.includes("%") && new URLSearchParams(part).has("page"))
