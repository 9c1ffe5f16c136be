// Replaces a list of the admin that has no rows.
import { countFilters } from "../page-kit/filters"
import { EmptyState } from "../page-kit/parts"
import { useAdminView } from "./view"

interface EmptyListProps {
  texts: {
    /** Without a filter: what the list is for. */
    empty: string
    /** With a filter that matches nothing. */
    no_matches: string
  }
  /** The link that adds the first item; hidden from members who may not. */
  add?: { label: string; path: string; action: string }
  /** Whether drafts are in a separate list. */
  hasDrafts?: boolean
}

/** A message and the next step: removing the filters, or adding the first item. */
export function EmptyList({ texts, add, hasDrafts }: EmptyListProps) {
  const { canPost, path, query, t } = useAdminView()
  if (countFilters(query) > 0 || query.has("page"))
    return (
      <EmptyState text={texts.no_matches}>
        <a class="button" data-quiet href={path}>
          {t.common.remove_filters}
        </a>
      </EmptyState>
    )
  return (
    <EmptyState text={texts.empty}>
      {add && canPost(add.action) && (
        <a class="button" href={add.path}>
          {add.label}
        </a>
      )}{" "}
      {hasDrafts && (
        <a class="button" data-quiet href={`${path}?status=draft`}>
          {t.common.show_drafts}
        </a>
      )}
    </EmptyState>
  )
}
