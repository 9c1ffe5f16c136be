// Tables of console pages: their columns can be chosen, and sorted by their heads. Both are in the page's URL.
import type { Child } from "hono/jsx"
import { useStrings, useView } from "./view"

export interface Column<Row> {
  head: string
  /** Aligns the cell to the right. */
  isNumeric?: boolean
  isLong?: boolean
  /** Whether the cells are buttons, which need no head in front of them on a phone. */
  hasActions?: boolean
  /** The values of the parameter `sort` that order by this column; "" is the list's default order. */
  sort?: { ascending: string; descending: string }
  cell: (row: Row) => Child
}

interface TableProps<Row> {
  /** Accessible name of the scrollable region. */
  label: string
  columns: Column<Row>[]
  rows: readonly Row[]
  /** Whether the operator can choose the columns; the first is always shown. */
  hasColumnChoice?: boolean
}

/** Tables with more columns do not fit on a phone. */
const MAX_PHONE_COLUMNS = 2

/** ARIA roles of the elements of a table. */
type Roles = Partial<Record<"table" | "rowgroup" | "row" | "columnheader" | "rowheader" | "cell", string>>

/** Roles of a table whose rows wrap: with `display: block`, browsers no longer expose it as a table. */
const TABLE_ROLES: Roles = {
  table: "table",
  rowgroup: "rowgroup",
  row: "row",
  columnheader: "columnheader",
  rowheader: "rowheader",
  cell: "cell",
}

/**
 * A table whose first column is the row header. It scrolls horizontally when it is too wide. On a phone, the cells of
 * a row with many columns wrap, and each has the head of its column in front.
 */
export function Table<Row>({ label, columns, rows, hasColumnChoice }: TableProps<Row>) {
  const { query } = useView()
  const chosen = hasColumnChoice ? query.getAll("columns") : []
  const selected = columns.filter(({ head }, index) => index === 0 || chosen.includes(head))
  const shown = selected.length > 1 ? selected : columns
  const wraps = shown.length > MAX_PHONE_COLUMNS
  const roles = wraps ? TABLE_ROLES : {}
  return (
    <>
      {hasColumnChoice && (
        <ColumnChoice heads={columns.slice(1).map(({ head }) => head)} shown={shown.map(({ head }) => head)} />
      )}
      <section class="scroll" aria-label={label} tabindex={0}>
        <table class={wraps ? "wraps" : undefined} role={roles.table}>
          <thead role={roles.rowgroup}>
            <tr role={roles.row}>
              {shown.map(({ head, isNumeric, sort }) => (
                <Head head={head} isNumeric={isNumeric} sort={sort} roles={roles} />
              ))}
            </tr>
          </thead>
          <tbody role={roles.rowgroup}>
            {rows.map((row) => (
              <tr role={roles.row}>
                {shown.map(({ head, cell, isNumeric: num, isLong: long, hasActions }, index) =>
                  index === 0 ? (
                    <th scope="row" class={num ? "num" : undefined} role={roles.rowheader}>
                      {cell(row)}
                    </th>
                  ) : (
                    <td
                      class={num ? "num" : long ? "long" : undefined}
                      data-head={(!hasActions && head) || undefined}
                      role={roles.cell}
                    >
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

/** A column's head; a link that sorts by it, and reverses the order when the list is sorted by it already. */
function Head({ head, isNumeric: num, sort, roles }: Omit<Column<never>, "cell"> & { roles: Roles }) {
  // A column of buttons has no head, and an empty header cell would be announced.
  if (!head) return <td role={roles.cell} />
  const { path, query } = useView()
  const current = query.get("sort") ?? ""
  const direction = current === sort?.ascending ? "ascending" : current === sort?.descending ? "descending" : undefined
  const next = new URLSearchParams(query)
  for (const name of ["page", "done", "subject"]) next.delete(name)
  if (sort) next.set("sort", direction === "ascending" ? sort.descending : sort.ascending)
  if (!next.get("sort")) next.delete("sort")
  const text = next.toString()
  return (
    <th scope="col" class={num ? "num" : undefined} role={roles.columnheader} aria-sort={direction}>
      {sort ? (
        <a href={text ? `${path}?${text}` : path} class="sort">
          {head}
        </a>
      ) : (
        head
      )}
    </th>
  )
}

/** Chooses the columns of a table. */
function ColumnChoice({ heads, shown }: { heads: string[]; shown: string[] }) {
  const { path, query } = useView()
  const otherParams = [...query].filter(([name]) => !["columns", "done", "subject"].includes(name))
  return (
    <details class="columns">
      <summary>{useStrings().columns}</summary>
      <form method="get" action={path}>
        {otherParams.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {heads.map((head) => (
          <label>
            <input type="checkbox" name="columns" value={head} checked={shown.includes(head)} />
            {head}
          </label>
        ))}
        <button type="submit" data-quiet>
          {useStrings().show_columns}
        </button>
      </form>
    </details>
  )
}
