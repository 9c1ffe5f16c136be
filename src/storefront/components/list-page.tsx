// List page: title, filters, cards and pager, or a sentence when the list is empty.
import type { Child } from "hono/jsx"
import type { Pagination } from "../data"
import type { View } from "../view"
import { Pager } from "./pager"

interface Props {
  view: View
  title: string
  /** First path segment. */
  part: string
  pagination: Pagination
  /** Shown for an empty list; null for a list with items. */
  empty: string | null
  /** The form that filters the list. */
  filters?: Child
  /** Further parameters of the list's path. */
  query?: string
  children?: Child
}

export function ListPage({ view, title, part, pagination, empty, filters, query, children }: Props) {
  return (
    <>
      <div class="page-head shell">
        <h1>{title}</h1>
        {filters}
        {empty && <p class="lede">{empty}</p>}
      </div>
      {!empty && (
        <div class="section shell">
          {children}
          <Pager view={view} part={part} pagination={pagination} query={query} />
        </div>
      )}
    </>
  )
}
