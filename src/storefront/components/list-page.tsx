// List page: title, cards and pager, or a sentence when the list is empty.
import type { Child } from "hono/jsx"
import type { Pagination } from "../data"
import type { View } from "../view"
import { Pager } from "./pager"

/** `part` is the first path segment; `empty` is the sentence shown for an empty list, null for a list with items. */
type Props = { view: View; title: string; part: string; pagination: Pagination; empty: string | null; children?: Child }

export function ListPage({ view, title, part, pagination, empty, children }: Props) {
  return (
    <>
      <div class="page-head shell">
        <h1>{title}</h1>
        {empty && <p class="lede">{empty}</p>}
      </div>
      {!empty && (
        <div class="section shell">
          {children}
          <Pager view={view} part={part} pagination={pagination} />
        </div>
      )}
    </>
  )
}
