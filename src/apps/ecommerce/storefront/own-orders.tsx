// The customer's own orders, as pages of the account.
import { selectShopSettings, toShop } from "../../../content/shop/settings"
import { UtcDay } from "../../../core/html/moment"
import { Refusal } from "../../../core/http/refusal"
import { localize } from "../../../core/i18n/locale"
import { ConfirmationForm } from "../../../storefront/components/confirmation-form"
import { Message } from "../../../storefront/components/form"
import { Pager } from "../../../storefront/components/pager"
import type { Page } from "../../../storefront/part"
import { ACCOUNT } from "../../../storefront/paths"
import type { Visit, VisitorPage } from "../../../storefront/visitor/page"
import type { Order } from "../orders/schemas"
import { listOrders, readOrder } from "../orders/service"
import { renderOrderPage } from "./order"
import { CONFIRM_EMAIL, ORDER, statusOf } from "./order-strings"

const OWN_ORDERS = localize("Orders", "Pedidos", "Commandes", "Đơn hàng")
const NO_ORDERS = localize(
  "You have no orders yet.",
  "Aún no tiene pedidos.",
  "Vous n’avez pas encore de commande.",
  "Bạn chưa có đơn hàng nào.",
)

const CONFIRM_FIRST = localize(
  "Did you order without an account? Confirm your email address, and those orders appear here.",
  "¿Hizo pedidos sin cuenta? Confirme su correo electrónico y esos pedidos aparecerán aquí.",
  "Vous avez commandé sans compte ? Confirmez votre adresse e-mail et ces commandes apparaîtront ici.",
  "Bạn đã đặt hàng không cần tài khoản? Hãy xác nhận email, các đơn hàng đó sẽ xuất hiện tại đây.",
)

const PAGE_SIZE = 20

/** Path of the list, without the leading slash. */
const LIST = "account/orders"

/** Runs a read of the customer; leads to the sign-in without one, and to the list for an order of another customer. */
async function asCustomer(visit: Visit, show: () => Promise<Response>): Promise<Response> {
  try {
    return await show()
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    if (thrown.code === "unauthenticated") return visit.redirect(`${ACCOUNT}/sign-in`)
    if (thrown.code === "not_found") return visit.redirect(`/${LIST}`)
    throw thrown
  }
}

const list: VisitorPage = {
  path: LIST,
  get: (visit) =>
    asCustomer(visit, async () => {
      const text = visit.url.searchParams.get("page") ?? "1"
      const page = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1
      const [{ rows, total }, { user }] = await Promise.all([
        listOrders(visit.ctx, { page, per_page: PAGE_SIZE, scope: "own" }),
        visit.readAsUser([]),
      ])
      const lastPage = Math.max(1, Math.ceil(total / PAGE_SIZE))
      return visit.render(
        renderList(rows, total, { page, lastPage }, user?.emailVerifiedAt === null ? user.email : undefined),
      )
    }),
}

const single: VisitorPage = {
  path: `${LIST}/:id`,
  get: (visit) =>
    asCustomer(visit, async () => {
      const { site } = visit.ctx
      const [{ order, items }, [[settings]]] = await Promise.all([
        readOrder(visit.ctx, visit.params.id ?? ""),
        visit.read([selectShopSettings({ site: site.id })]),
      ])
      return visit.render(renderOrderPage(order, items, toShop(site, settings)))
    }),
}

export const ownOrderPages: readonly VisitorPage[] = [list, single]

/** @param unconfirmed the customer's email address while it is not confirmed, so that no guest's orders are attached */
const renderList =
  (
    orders: readonly Order[],
    total: number,
    pagination: { page: number; lastPage: number },
    unconfirmed?: string,
  ): Page =>
  (view) => ({
    meta: { title: view.translate(OWN_ORDERS), description: "", path: null },
    section: ACCOUNT,
    body: (
      <article class="account section shell narrow">
        <h1>{view.translate(OWN_ORDERS)}</h1>
        {total === 0 && <p class="lede">{view.translate(NO_ORDERS)}</p>}
        <ul class="results">
          {orders.map((order) => (
            <li key={order.id}>
              <a class="more" href={`/${LIST}/${order.id}`}>
                {view.translate(ORDER)} {order.number ?? order.id}
              </a>{" "}
              <b>{view.formatPrice(order.totalCents, order.currency)}</b>
              <p class="quiet">
                <UtcDay at={order.createdAt} locale={view.locale} /> · {view.translate(statusOf(order))}
              </p>
            </li>
          ))}
        </ul>
        <Pager view={view} part={LIST} pagination={pagination} />
        {unconfirmed !== undefined && (
          <Message>
            <p>{view.translate(CONFIRM_FIRST)}</p>
            <ConfirmationForm view={view} email={unconfirmed} label={CONFIRM_EMAIL} />
          </Message>
        )}
      </article>
    ),
  })
