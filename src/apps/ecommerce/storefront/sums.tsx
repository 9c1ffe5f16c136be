// The sums of an order: items, shipping, tax and total, as the checkout and the order's page show them.
import type { Translations } from "../../../core/i18n/locale"
import { withColon } from "../../../lib/intl"
import type { View } from "../../../storefront/view"
import { isTaxIncluded, type Totals } from "../orders/rules"
import type { ShippingMethod } from "../tables"
import * as W from "./order-strings"

interface Props {
  view: View
  currency: string
  totals: Totals
  method: ShippingMethod | null
}

/** Table rows, one for each sum. */
export function SumRows({ view, currency, totals, method }: Props) {
  const { itemsCents, shippingCents, taxCents, totalCents } = totals
  const sums: [Translations, number][] = [
    [W.SUBTOTAL, itemsCents],
    [method === "pickup" ? W.PICKUP : W.SHIPPING, shippingCents],
    ...(taxCents && !isTaxIncluded(totals) ? [[W.TAX, taxCents] as [Translations, number]] : []),
    [W.TOTAL, totalCents],
  ]
  return (
    <>
      {sums.map(([label, cents]) => (
        <tr key={label.en}>
          <th scope="row">{view.translate(label)}</th>
          <td>{view.formatPrice(cents, currency)}</td>
        </tr>
      ))}
    </>
  )
}

/** The tax that the total contains, if prices include it. */
export function IncludedTax({ view, currency, totals }: Omit<Props, "method">) {
  if (!totals.taxCents || !isTaxIncluded(totals)) return null
  return (
    <p class="quiet">
      {withColon(view.translate(W.INCLUDED_TAX), view.language)} {view.formatPrice(totals.taxCents, currency)}
    </p>
  )
}
