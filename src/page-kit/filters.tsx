// Renders the filters of lists. Their values are in the page's URL.
import type { PropsWithChildren } from "hono/jsx"
import { type Choice, getFieldLabel, toOption, ZoneName } from "./form"
import { useStrings, useView } from "./view"

/** Parameters of a list's URL that are not filters. */
const VIEW_PARAMETERS: ReadonlySet<string> = new Set(["page", "done", "subject", "columns", "sort"])

/** The number of filters that a list's URL sets. */
export const countFilters = (query: URLSearchParams): number =>
  [...query].filter(([name, value]) => value && !VIEW_PARAMETERS.has(name)).length

/**
 * A GET form whose state is in the page's URL. On a phone it is folded.
 * @param live id of the region that the script refreshes while the reader types
 */
export function FilterForm({ live, children, action }: PropsWithChildren<{ live?: string; action?: string }>) {
  const { path, query } = useView()
  const active = countFilters(query)
  return (
    <form method="get" action={action ?? path} class="filters" data-live={live}>
      <details class="fold">
        <summary>{active ? useStrings().active_filters(active) : useStrings().filters}</summary>
        <div>
          {query.getAll("columns").map((column) => (
            <input type="hidden" name="columns" value={column} />
          ))}
          {children}
          <button type="submit" data-quiet>
            {useStrings().filter}
          </button>
        </div>
      </details>
    </form>
  )
}

interface SelectFilterProps {
  name: string
  label?: string
  choices?: Choice[]
  /** Further choices, grouped under headings. */
  groups?: { label: string; choices: Choice[] }[]
  anyLabel?: string
}

/** A filter with a fixed set of values. */
export function SelectFilter({
  name,
  label = getFieldLabel(name),
  choices = [],
  groups = [],
  anyLabel = useStrings().any,
}: SelectFilterProps) {
  const { query } = useView()
  const value = query.get(name)
  const option = (one: { value: string; label: string }) => (
    <option value={one.value} selected={one.value === value}>
      {one.label}
    </option>
  )
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">{anyLabel}</option>
        {choices.map(toOption).map(option)}
        {groups.map((group) => (
          <optgroup label={group.label}>{group.choices.map(toOption).map(option)}</optgroup>
        ))}
      </select>
    </label>
  )
}

/** A filter with a text, date or time input. */
export function TextFilter({
  name,
  label = getFieldLabel(name),
  type = "text",
}: {
  name: string
  label?: string
  type?: "text" | "search" | "date" | "datetime-local"
}) {
  const { query } = useView()
  return (
    <label>
      {label}
      <ZoneName type={type} />
      <input name={name} type={type} value={query.get(name) ?? ""} autocomplete="off" />
    </label>
  )
}
