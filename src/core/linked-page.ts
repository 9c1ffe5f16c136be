// A page with its links, in the form that clients of the content API and of the license manager know.
import type { Page, PageRequest } from "./page"

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
 * @param asked the query it was asked with, of which all but the page is kept
 */
export function pageLinks(address: string, asked: Record<string, string[]>): (page: number) => string {
  const names = Object.keys(asked)
  const at = names.includes("page") ? names.indexOf("page") : names.length
  const written = (some: string[]) =>
    String(new URLSearchParams(some.flatMap((name) => (asked[name] ?? []).map((value) => [name, value]))))
  const before = at > 0 ? `${written(names.slice(0, at))}&` : ""
  const after = at < names.length - 1 ? `&${written(names.slice(at + 1))}` : ""
  return (page) => `${address}?${before}page=${page}${after}`
}
