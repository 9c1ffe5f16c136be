// Where in a list one is, and the way to the pages beside it. Nothing when the list has one page.
import type { Pagination } from "../data"
import { listPath } from "../paths"
import type { View } from "../view"

export function Pager({ view, part, pagination }: { view: View; part: string; pagination: Pagination }) {
  const { page, lastPage } = pagination
  if (lastPage <= 1) return null
  return (
    <nav class="pager" aria-label={view.words.pagination}>
      <span>
        {page > 1 && (
          <a class="more" rel="prev" href={listPath(part, Math.min(page - 1, lastPage))}>
            {view.words.previous}
          </a>
        )}
      </span>
      <p>{view.words.pageOf(page, lastPage)}</p>
      <span>
        {page < lastPage && (
          <a class="more" rel="next" href={listPath(part, page + 1)}>
            {view.words.next}
          </a>
        )}
      </span>
    </nav>
  )
}
