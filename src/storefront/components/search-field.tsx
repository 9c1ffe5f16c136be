// The search form in the header and on the page of the results.
import { SEARCH } from "../paths"
import type { View } from "../view"

export const SearchField = ({ view, term, hasButton }: { view: View; term?: string; hasButton?: boolean }) => (
  <search>
    <form action={SEARCH} class="row">
      <input
        type="search"
        name="q"
        value={term}
        maxlength={200}
        aria-label={view.strings.search}
        placeholder={view.strings.search}
      />
      {hasButton && (
        <button class="button" type="submit">
          {view.strings.search}
        </button>
      )}
    </form>
  </search>
)
