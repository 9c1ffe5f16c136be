// Sorts a list by creation: a filter, and the head of the column with the date.
import { SelectFilter } from "../../page-kit/filters"
import { W } from "../strings"

/** The values of `sort` for the column. */
export const CREATED_COLUMN = { ascending: "created_at", descending: "" }

export const CreatedSortFilter = () => (
  <SelectFilter
    name="sort"
    anyLabel={W.stores.sorts["-created_at"]}
    choices={[{ value: CREATED_COLUMN.ascending, label: W.stores.sorts.created_at }]}
  />
)
