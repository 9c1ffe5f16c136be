// The saved views of a list: links to each, a form that saves the current filters, sort order and columns.

import { ActionButton, Checkbox, Field, Form } from "../../page-kit/form"
import { normalizeViewQuery } from "../../platform/operators/views"
import { ACCOUNT_VIEWS, LISTS_WITH_VIEWS } from "../paths"
import { W } from "../strings"
import { useConsoleView } from "./view"

/** Shows the views of the page's list; nothing for lists without views. */
export function SavedViews() {
  const { path, query, views, operator } = useConsoleView()
  if (!LISTS_WITH_VIEWS.has(path)) return null
  const current = normalizeViewQuery(query.toString())
  const selected = views.find((view) => view.query === current)
  const canDelete = selected && (selected.isOwn || operator?.role === "admin")
  return (
    <div class="views" id="views">
      {views.length > 0 && (
        <nav aria-label={W.views.title}>
          <a href={path} aria-current={current === "" ? "page" : undefined}>
            {W.views.all}
          </a>
          {views.map((view) => (
            <a href={view.query ? `${path}?${view.query}` : path} aria-current={view === selected ? "page" : undefined}>
              {view.name}
              {view.isShared && <span class="sub"> {W.views.shared}</span>}
            </a>
          ))}
        </nav>
      )}
      {canDelete && (
        <ActionButton
          action={`${ACCOUNT_VIEWS}/${selected.id}/delete`}
          label={W.views.delete}
          about={selected.name}
          danger
        />
      )}
      {!selected && current !== "" && (
        <details class="disclosure">
          <summary>{W.views.save}</summary>
          <div class="card">
            <Form action={ACCOUNT_VIEWS} submitLabel={W.views.save}>
              <ViewFields list={path} query={current} />
            </Form>
          </div>
        </details>
      )}
    </div>
  )
}

/** The fields of a view: its name, and whether it is shared. */
export function ViewFields({ list, query }: { list: string; query: string }) {
  const { operator } = useConsoleView()
  return (
    <>
      <input type="hidden" name="list" value={list} />
      <input type="hidden" name="query" value={query} />
      <Field name="name" label={W.views.name} required maxlength={60} idPrefix="view" />
      {operator?.role !== "viewer" && <Checkbox name="is_shared" label={W.views.share} idPrefix="view" />}
    </>
  )
}
