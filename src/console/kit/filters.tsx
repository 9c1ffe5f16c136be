// The filters of a list, with its saved views.
import type { ComponentProps } from "../../page-kit/context"
import { FilterForm } from "../../page-kit/filters"
import { SavedViews } from "./saved-views"

/** The saved views of the page's list, and a form with its filters. */
export const Filters = (props: ComponentProps<typeof FilterForm>) => (
  <>
    <SavedViews />
    <FilterForm {...props} />
  </>
)
