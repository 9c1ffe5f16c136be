// A rating as stars, which screen readers hear as a number.
import { fillPlaceholders } from "../../../core/i18n/locale"
import type { View } from "../../../storefront/view"
import { OUT_OF_FIVE } from "./strings"

/** @param rating from 1 to 5, also between two numbers */
export function Stars({ view, rating }: { view: View; rating: number }) {
  const full = Math.round(rating)
  const number = new Intl.NumberFormat(view.locale).format(rating)
  return (
    <span class="stars" role="img" aria-label={fillPlaceholders(view.translate(OUT_OF_FIVE), { rating: number })}>
      {"★".repeat(full)}
      {"☆".repeat(5 - full)}
    </span>
  )
}
