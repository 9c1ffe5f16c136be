// Pagination links: the current position, the previous and the next page. Renders nothing for a single page.
import type { Pagination } from "../data"
import { listPath } from "../paths"
import type { View } from "../view"

interface Props {
  view: View
  part: string
  pagination: Pagination
  /** Further parameters of the list's path. */
  query?: string
}

export function Pager({ view, part, pagination, query }: Props) {
  const { page, lastPage } = pagination
  if (lastPage <= 1) return null
  return (
    <nav class="pager" aria-label={view.strings.pagination}>
      <span>
        {page > 1 && (
          <a class="more" rel="prev" href={listPath(part, Math.min(page - 1, lastPage), query)}>
            {view.strings.previous}
          </a>
        )}
      </span>
      <p>{view.strings.pageOf(page, lastPage)}</p>
      <span>
        {page < lastPage && (
          <a class="more" rel="next" href={listPath(part, page + 1, query)}>
            {view.strings.next}
          </a>
        )}
      </span>
    </nav>
  )
}
