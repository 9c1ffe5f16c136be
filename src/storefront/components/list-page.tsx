// The page of a whole list: its title, its cards, its pager; or a sentence when it is empty.
import type { Child } from "hono/jsx"
import type { Pagination } from "../data"
import type { View } from "../view"
import { Pager } from "./pager"

/** `part` is the first segment of its paths; `empty` the sentence of a list without anything on it. */
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
