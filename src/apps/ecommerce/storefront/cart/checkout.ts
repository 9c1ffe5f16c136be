// Serves the checkout: GET shows the form with the current totals, POST places the order and leads to its page.
import { type ContentApiCode, isContentRefusal, messageOf } from "../../../../content/envelope"
import { countAttempt, inParallelWithRateLimit } from "../../../../content/rate-limits"
import { selectShopSettings, toShop } from "../../../../content/shop/settings"
import { parseInput } from "../../../../core/http/input"
import type { FieldErrors } from "../../../../core/http/refusal"
import { fullName } from "../../../../lib/full-name"
import { randomBase62 } from "../../../../lib/hash"
import { type FormState, toMessages } from "../../../../storefront/components/form"
import { ORDERS, singlePath } from "../../../../storefront/paths"
import type { FormFields, Visit, VisitorPage } from "../../../../storefront/visitor/page"
import { type ConfirmTotals, placeOrder } from "../../orders/place"
import { listShippingMethods } from "../../orders/rules"
import { PlaceOrder } from "../../orders/schemas"
import { SHIPPING_METHODS } from "../../tables"
import { selectCartProducts } from "../queries"
import { toParams } from "./cart-page"
import { type CheckoutMessage, renderCheckoutPage, totalName } from "./checkout-form"
import { formatCart, getCart, parseCart, setCart } from "./cookie"
import { FIELDS, LABELS, toOrder } from "./form"
import { type CartLine, checkCart, listBlockedLines, toCartLines } from "./rules"

export const checkoutPage: VisitorPage = {
  path: "checkout",
  async get(visit) {
    const lines = getCart(visit)
    if (!lines.length) return visit.redirect("/cart")
    return showCheckout(visit, lines)
  },
  async post(visit, fields) {
    // The form has its own copy of the cart, so that exactly what it showed is ordered, also when it is sent again.
    const lines = parseCart(fields.cart)
    if (!lines.length) return visit.redirect("/cart")
    const values = Object.fromEntries(FIELDS.map((name) => [name, (fields[name] ?? "").slice(0, 2_000)]))
    const shown = { values, submissionKey: /^[\w-]{10,100}$/.test(fields.once ?? "") ? fields.once : undefined }
    try {
      const { order, key } = await place(visit, lines, values, fields)
      // The visitor may have added other products in another tab.
      const isOrdered = ({ productId }: CartLine) => lines.some((line) => line.productId === productId)
      setCart(
        visit,
        getCart(visit).filter((line) => !isOrdered(line)),
      )
      return visit.redirect(`${singlePath(ORDERS, String(order.number))}?${new URLSearchParams({ key: key ?? "" })}`)
    } catch (thrown) {
      return showRefusal(visit, lines, shown, thrown)
    }
  },
}

/** Places the order by the service of `POST /orders`. */
async function place(visit: Visit, lines: readonly CartLine[], values: FormFields, fields: FormFields) {
  const { ctx } = visit
  const input = parseInput(PlaceOrder, toOrder(lines, values))
  input.require("items")
  const method = SHIPPING_METHODS.find((name) => name === values.shipping_method) ?? "flat"
  const seen = fields[totalName(method)]
  const confirm: ConfirmTotals = ({ totalCents }) => {
    if (seen !== undefined && seen !== String(totalCents)) throw new TotalChanged()
  }
  const counted = countAttempt(ctx, "app:orders", { ip: ctx.address ?? "unknown", account: ctx.caller.token?.hash })
  return inParallelWithRateLimit(ctx, counted, () => placeOrder(ctx, input, fields.once || undefined, confirm))
}

/** The total differs from the one that the form showed. */
class TotalChanged extends Error {}

interface CheckoutState {
  values?: FormFields
  errors?: FieldErrors
  message?: CheckoutMessage
  /** Whether the customer has to confirm the email address first. */
  isUnconfirmed?: boolean
  submissionKey?: string | undefined
  status?: 200 | 403 | 422 | 429
}

/** Messages and statuses of refusals, by code. Those without a message have that of the API. */
const REFUSAL_RESPONSES: Partial<Record<ContentApiCode, Pick<CheckoutState, "message" | "isUnconfirmed" | "status">>> =
  {
    validation_failed: { message: "invalid", status: 422 },
    idempotency_mismatch: { message: "used", status: 422 },
    limit_reached: { message: "full", status: 403 },
    unauthenticated: { status: 403 },
    email_unverified: { isUnconfirmed: true, status: 403 },
    unpaid_orders: { status: 422 },
    rate_limited: { status: 429 },
  }

/** Shows the form again with everything that was typed, and why the order was not placed. */
function showRefusal(
  visit: Visit,
  lines: readonly CartLine[],
  shown: CheckoutState,
  thrown: unknown,
): Promise<Response> {
  if (thrown instanceof TotalChanged)
    return showCheckout(visit, lines, { ...shown, message: "total_changed", status: 422 })
  const response = isContentRefusal(thrown) ? REFUSAL_RESPONSES[thrown.code] : undefined
  if (!isContentRefusal(thrown) || !response) throw thrown
  return showCheckout(visit, lines, {
    ...shown,
    // A key that was used with another order cannot place this one.
    submissionKey: thrown.code === "idempotency_mismatch" ? undefined : shown.submissionKey,
    errors: thrown.code === "validation_failed" ? thrown.facts.fields : {},
    message: messageOf(thrown, visit.ctx.locale),
    ...response,
  })
}

/**
 * Shows the form for the lines that are still sold, or redirects to the cart, which shows why it cannot be ordered.
 * @param refused what a refused form had and why it was refused; undefined for a visit, which orders the visitor's cart
 */
async function showCheckout(visit: Visit, lines: readonly CartLine[], refused?: CheckoutState): Promise<Response> {
  const site = visit.ctx.site.id
  const { user, results } = await visit.readAsUser([
    selectCartProducts(toParams(visit, lines)),
    selectShopSettings({ site }),
  ])
  const [products, [row]] = results
  const shop = toShop(visit.ctx.site, row)
  const cart = checkCart(lines, products, shop)
  const seen = toCartLines(cart)
  // A refused form stays, with everything that was typed, even if a product sold out meanwhile.
  if (!seen.length || (!refused && listBlockedLines(cart).length > 0)) return visit.redirect("/cart")
  if (!refused) setCart(visit, seen)
  const shown = refused ?? {}
  const own: FormFields = user ? { name: fullName(user), email: user.email, phone: user.phone ?? "" } : {}
  return visit.render(
    renderCheckoutPage({
      cart,
      shop,
      mayOrder: user !== null || shop.guest_orders,
      submissionKey: shown.submissionKey ?? randomBase62(32),
      cartText: formatCart(seen),
      message: shown.message,
      unconfirmedEmail: shown.isUnconfirmed ? user?.email : undefined,
      form: (view): FormState => ({
        values: shown.values ?? own,
        errors: toMessages(view, LABELS, shown.errors ?? {}),
      }),
      methods: listShippingMethods(shop),
    }),
    shown.status,
  )
}
