// Page of an order, for the holder of its secret key: status, items, totals, and how to pay. It shows no personal data.
import type { Shop } from "../../../content/shop/settings"
import type { Translations } from "../../../core/i18n/locale"
import type { Page } from "../../../storefront/part"
import type { View } from "../../../storefront/view"
import type { Order, OrderItem } from "../orders/schemas"
import * as W from "./order-strings"

/** @param shop the settings of the shop, for its payment instructions */
export const renderOrderPage =
  (order: Order, items: readonly OrderItem[], shop: Shop): Page =>
  (view) => {
    const title = `${view.translate(W.ORDER)} ${order.number}`
    const instructions = order.status === "pending" && order.paymentMethod ? shop.payment[order.paymentMethod] : null
    return {
      meta: { title, description: "", path: null },
      body: (
        <article class="order section shell narrow">
          <h1>{title}</h1>
          <p class="lede">{view.translate(W.STATUS[order.status])}</p>
          <Items view={view} order={order} items={items} taxIsIncluded={isTaxIncluded(order)} />
          {instructions && <Lines title={view.translate(W.PAYMENT)} text={instructions} />}
          {order.tracking && <Lines title={view.translate(W.TRACKING)} text={order.tracking} />}
        </article>
      ),
    }
  }

/** Whether the prices included the tax when the order was placed. */
const isTaxIncluded = ({ itemsCents, shippingCents, totalCents }: Order): boolean =>
  totalCents === (itemsCents ?? 0) + (shippingCents ?? 0)

function Items({
  view,
  order,
  items,
  taxIsIncluded,
}: {
  view: View
  order: Order
  items: readonly OrderItem[]
  taxIsIncluded: boolean
}) {
  const format = (cents: number) => view.formatPrice(cents, order.currency)
  const { itemsCents, shippingCents, taxCents } = order
  const sums: [Translations, number][] = [
    [W.SUBTOTAL, itemsCents ?? order.totalCents],
    [order.shippingMethod === "pickup" ? W.PICKUP : W.SHIPPING, shippingCents ?? 0],
    ...(taxCents && !taxIsIncluded ? [[W.TAX, taxCents] as [Translations, number]] : []),
    [W.TOTAL, order.totalCents],
  ]
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">{view.translate(W.ITEM)}</th>
            <th scope="col">{view.translate(W.AMOUNT)}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.position}>
              <td>
                {item.quantity} × {item.name}
              </td>
              <td>{format(item.priceCents * item.quantity)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {sums.map(([label, cents]) => (
            <tr key={label.en}>
              <th scope="row">{view.translate(label)}</th>
              <td>{format(cents)}</td>
            </tr>
          ))}
        </tfoot>
      </table>
      {taxCents !== null && taxCents > 0 && taxIsIncluded && (
        <p class="quiet">
          {view.translate(W.INCLUDED_TAX)}: {format(taxCents)}
        </p>
      )}
    </>
  )
}

const Lines = ({ title, text }: { title: string; text: string }) => (
  <>
    <h2>{title}</h2>
    <p class="lines">{text}</p>
  </>
)
