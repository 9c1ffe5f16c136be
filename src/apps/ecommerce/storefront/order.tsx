// Page of an order, for the holder of its secret key: status, items, totals, and how to pay. It shows no personal data.
import type { Shop } from "../../../content/shop/settings"
import { UtcDay } from "../../../core/html/moment"
import { addMs } from "../../../lib/time"
import type { Page } from "../../../storefront/part"
import { ACCOUNT, listPath } from "../../../storefront/paths"
import type { View } from "../../../storefront/view"
import { computePaymentWindow, totalsOf } from "../orders/rules"
import type { Order, OrderItem } from "../orders/schemas"
import { GUEST_USER_ID } from "../tables"
import { CONTINUE_SHOPPING } from "./cart/strings"
import { PATH } from "./data"
import * as W from "./order-strings"
import { IncludedTax, SumRows } from "./sums"

const isClosed = ({ status }: Order): boolean => status === "fulfilled" || status === "cancelled"

/** @param shop the settings of the shop, for its payment instructions and its address */
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
          <p class="lede">{view.translate(W.statusOf(order))}</p>
          <Items view={view} order={order} items={items} />
          {instructions && <Lines title={view.translate(W.PAYMENT)} text={instructions} />}
          {instructions && order.paymentMethod === "transfer" && (
            <p>
              {view.translate(W.PAY_BY)}{" "}
              <UtcDay at={addMs(order.createdAt, computePaymentWindow("transfer"))} locale={view.locale} />.
            </p>
          )}
          {order.shippingMethod === "pickup" && shop.address && !isClosed(order) && (
            <Lines title={view.translate(W.PICKUP_ADDRESS)} text={shop.address} />
          )}
          {order.tracking && <Lines title={view.translate(W.TRACKING)} text={order.tracking} />}
          <NextSteps view={view} isOfGuest={order.userId <= GUEST_USER_ID} />
        </article>
      ),
    }
  }

function Items({ view, order, items }: { view: View; order: Order; items: readonly OrderItem[] }) {
  const { currency } = order
  const totals = totalsOf(order)
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
              <td>{view.formatPrice(item.priceCents * item.quantity, currency)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <SumRows view={view} currency={currency} totals={totals} method={order.shippingMethod} />
        </tfoot>
      </table>
      <IncludedTax view={view} currency={currency} totals={totals} />
    </>
  )
}

function NextSteps({ view, isOfGuest }: { view: View; isOfGuest: boolean }) {
  return (
    <>
      {isOfGuest && <p class="quiet">{view.translate(W.FIND_AGAIN)}</p>}
      <p class="actions">
        <a class="button" href={listPath(PATH)}>
          {view.translate(CONTINUE_SHOPPING)}
        </a>
        <a class="more" href={isOfGuest ? `${ACCOUNT}/register` : `${ACCOUNT}/orders`}>
          {view.translate(isOfGuest ? W.CREATE_ACCOUNT : W.OWN_ORDERS)}
        </a>
      </p>
    </>
  )
}

const Lines = ({ title, text }: { title: string; text: string }) => (
  <>
    <h2>{title}</h2>
    <p class="lines">{text}</p>
  </>
)
