// The form that orders and filters the list of products. It works without scripts: the list's path has its values.

import type { Translations } from "../../../core/i18n/locale"
import { isChanged, type ListQuery, parseUnits, SORTS, type Sort } from "../../../storefront/list-query"
import { listPath } from "../../../storefront/paths"
import type { View } from "../../../storefront/view"
import { PATH } from "./data"
import * as W from "./strings"

const SORT_NAMES: Record<Sort, Translations> = {
  newest: W.NEWEST,
  price_asc: W.PRICE_ASCENDING,
  price_desc: W.PRICE_DESCENDING,
}

export function ProductFilters({ view, query }: { view: View; query: ListQuery }) {
  return (
    <details class="filters" open={isChanged(query)}>
      <summary>{view.translate(W.FILTER_AND_SORT)}</summary>
      <form action={listPath(PATH)} class="row">
        <div>
          <label for="sort">{view.translate(W.SORT_BY)}</label>
          <select id="sort" name="sort">
            {SORTS.map((sort) => (
              <option value={sort} selected={sort === query.sort}>
                {view.translate(SORT_NAMES[sort])}
              </option>
            ))}
          </select>
        </div>
        <PriceField view={view} name="min" label={W.PRICE_FROM} value={query.min} />
        <PriceField view={view} name="max" label={W.PRICE_TO} value={query.max} />
        <label class="check">
          <input type="checkbox" name="in_stock" value="1" checked={query.inStock} /> {view.translate(W.IN_STOCK)}
        </label>
        <button class="button" type="submit">
          {view.translate(W.APPLY)}
        </button>
        {isChanged(query) && (
          <a class="more" href={listPath(PATH)}>
            {view.translate(W.CLEAR)}
          </a>
        )}
      </form>
    </details>
  )
}

interface PriceFieldProps {
  view: View
  name: "min" | "max"
  label: Translations
  /** The entered text; it filters nothing unless it is a price. */
  value: string
}

function PriceField({ view, name, label, value }: PriceFieldProps) {
  const isInvalid = parseUnits(value) === undefined
  return (
    <div>
      <label for={name}>{view.translate(label)}</label>
      <input
        id={name}
        name={name}
        value={value}
        inputmode="decimal"
        maxlength={13}
        size={8}
        autocomplete="off"
        aria-invalid={isInvalid ? "true" : undefined}
        aria-describedby={isInvalid ? `${name}-error` : undefined}
      />
      {isInvalid && (
        <p class="field-error" id={`${name}-error`}>
          {view.translate(W.NOT_A_PRICE)}
        </p>
      )}
    </div>
  )
}
