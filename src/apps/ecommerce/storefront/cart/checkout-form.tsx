// The page of the checkout: the order with its totals, and the form with the customer's data.

import type { Shop } from "../../../../content/shop/settings"
import { ConfirmationForm } from "../../../../storefront/components/confirmation-form"
import { Choices, Field, type FormState, Message } from "../../../../storefront/components/form"
import type { PageLink } from "../../../../storefront/data"
import type { Page } from "../../../../storefront/part"
import { ACCOUNT, CART as CART_PATH, PAGES, singlePath } from "../../../../storefront/paths"
import type { View } from "../../../../storefront/view"
import { computeTotals, listPaymentMethods } from "../../orders/rules"
import type { PaymentMethod, ShippingMethod } from "../../tables"
import { AMOUNT, CONFIRM_EMAIL, ITEM, PICKUP, SHIPPING } from "../order-strings"
import { IncludedTax, SumRows } from "../sums"
import { BlockedLines, CHECKOUT_PATH, LineNotes } from "./cart"
import { type FieldName, LABELS } from "./form"
import { type CheckedCart, listBlockedLines, listSummedLines } from "./rules"
import * as W from "./strings"

const MESSAGES = {
  invalid: W.CHECK_FIELDS,
  total_changed: W.TOTAL_CHANGED,
  used: W.ORDER_AGAIN,
  full: W.SHOP_IS_FULL,
}

/** Why an order was not placed: one of the messages, or a text in the visitor's language. */
export type CheckoutMessage = keyof typeof MESSAGES | (string & {})

interface Checkout {
  cart: CheckedCart
  shop: Shop
  /** False for a guest where the shop takes no orders of guests. */
  mayOrder: boolean
  /** The idempotency key of the order, so that a form that is sent twice places one. */
  submissionKey: string
  /** The lines that the form orders, as a cart's cookie has them. */
  cartText: string
  message: CheckoutMessage | undefined
  /** The address that the customer has to confirm before the order. */
  unconfirmedEmail: string | undefined
  form: (view: View) => FormState
  methods: readonly ShippingMethod[]
}

/** Name of the hidden field with the total that the visitor sees for a shipping method. */
export const totalName = (method: ShippingMethod): string => `total_${method}`

export const renderCheckoutPage =
  (checkout: Checkout): Page =>
  (view) => {
    const { message, unconfirmedEmail, cart } = checkout
    const text =
      message &&
      (Object.hasOwn(MESSAGES, message) ? view.translate(MESSAGES[message as keyof typeof MESSAGES]) : message)
    const title = view.translate(W.CHECKOUT)
    return {
      meta: { title, description: "", path: null },
      section: CART_PATH,
      body: (
        <article class="checkout section shell narrow">
          <h1>{title}</h1>
          {text && (
            <Message isError>
              <p>{text}</p>
              {listBlockedLines(cart).length > 0 && <BlockedLines view={view} cart={cart} />}
              {unconfirmedEmail !== undefined && (
                <ConfirmationForm view={view} email={unconfirmedEmail} label={CONFIRM_EMAIL} />
              )}
            </Message>
          )}
          {cart.goneCount > 0 && (
            <Message>
              <p>{view.translate(W.ITEMS_GONE)}</p>
            </Message>
          )}
          {checkout.mayOrder ? (
            <CheckoutForm view={view} checkout={checkout} />
          ) : (
            <>
              <OrderedLines view={view} cart={cart} />
              <p class="lede">{view.translate(W.ACCOUNT_NEEDED)}</p>
              <p class="actions">
                <a class="button" href={ACCOUNT}>
                  {view.strings.account}
                </a>
              </p>
            </>
          )}
        </article>
      ),
    }
  }

function CheckoutForm({ view, checkout }: { view: View; checkout: Checkout }) {
  const { shop, methods, cart } = checkout
  const form = checkout.form(view)
  const field = (name: FieldName) => ({ view, form, name, label: view.translate(LABELS[name]) })
  const { currency } = cart
  const isOrderable = listBlockedLines(cart).length === 0
  const items = listSummedLines(cart.lines).map(({ product, quantity }) => ({
    priceCents: product.priceCents,
    quantity,
  }))
  const totals = methods.map((method) => ({ method, ...computeTotals(items, shop, method) }))
  const hasPickup = methods.includes("pickup")
  const shippingLabel = (method: ShippingMethod, cents: number) => (
    <>
      {view.translate(method === "pickup" ? PICKUP : SHIPPING)}{" "}
      <b>{cents ? view.formatPrice(cents, currency) : view.translate(W.FREE)}</b>
      {method === "pickup" && shop.address && <small class="lines">{shop.address}</small>}
    </>
  )
  return (
    <form method="post" action={CHECKOUT_PATH} class="form">
      <input type="hidden" name="once" value={checkout.submissionKey} />
      <input type="hidden" name="cart" value={checkout.cartText} />
      {totals.map(({ method, totalCents }) => (
        <input type="hidden" name={totalName(method)} value={String(totalCents)} />
      ))}
      <h2>{view.translate(W.CONTACT)}</h2>
      <Field {...field("email")} type="email" autocomplete="email" maxlength={190} />
      <Field {...field("name")} autocomplete="name" maxlength={120} />
      <Field {...field("phone")} type="tel" autocomplete="tel" maxlength={40} isOptional />
      {hasPickup ? (
        <Choices
          form={form}
          name="shipping_method"
          legend={view.translate(W.DELIVERY)}
          choices={totals.map(({ method, shippingCents }) => ({
            value: method,
            label: shippingLabel(method, shippingCents),
          }))}
        />
      ) : (
        <input type="hidden" name="shipping_method" value="flat" />
      )}
      <div class="address for-flat">
        <h2>{view.translate(W.ADDRESS)}</h2>
        {hasPickup && <p class="hint">{view.translate(W.ADDRESS_HINT)}</p>}
        <Field {...field("line1")} autocomplete="address-line1" maxlength={120} isRequired={!hasPickup} />
        <Field {...field("line2")} autocomplete="address-line2" maxlength={120} isOptional />
        <div class="pair">
          <Field {...field("postal_code")} autocomplete="postal-code" maxlength={20} isOptional />
          <Field {...field("city")} autocomplete="address-level2" maxlength={120} isRequired={!hasPickup} />
        </div>
        <div class="pair">
          <Field {...field("state")} autocomplete="address-level1" maxlength={120} isOptional />
          <Field {...field("country")} autocomplete="country-name" maxlength={60} isOptional />
        </div>
      </div>
      <PaymentChoices view={view} form={form} methods={listPaymentMethods(shop)} />
      <Field {...field("note")} rows={3} maxlength={1000} isOptional />
      <h2>{view.translate(W.YOUR_ORDER)}</h2>
      <OrderedLines view={view} cart={cart} />
      {totals.map(({ method, ...sums }) => (
        <div class={`sums for-${method}`}>
          <table>
            {methods.length > 1 && <caption>{view.translate(method === "pickup" ? PICKUP : SHIPPING)}</caption>}
            <tbody>
              <SumRows view={view} currency={currency} totals={sums} method={method} />
            </tbody>
          </table>
          <IncludedTax view={view} currency={currency} totals={sums} />
        </div>
      ))}
      <LegalLinks view={view} pages={view.shop.legalPages ?? []} />
      <p class="actions">
        {isOrderable && (
          <button class="button" type="submit">
            {view.translate(W.PLACE_ORDER)}
          </button>
        )}
        <a class={isOrderable ? "more" : "button"} href={CART_PATH}>
          {view.translate(W.EDIT_CART)}
        </a>
      </p>
    </form>
  )
}

function PaymentChoices({ view, form, methods }: { view: View; form: FormState; methods: readonly PaymentMethod[] }) {
  if (!methods.length)
    return (
      <>
        <h2>{view.translate(W.PAYMENT_METHOD)}</h2>
        <p>{view.translate(W.PAYMENT_LATER)}</p>
      </>
    )
  return (
    <Choices
      form={form}
      name="payment_method"
      legend={view.translate(W.PAYMENT_METHOD)}
      choices={methods.map((method) => ({
        value: method,
        label: view.translate(method === "transfer" ? W.BANK_TRANSFER : W.ON_DELIVERY),
      }))}
    />
  )
}

/** The lines of the order, with why one of them cannot be ordered. */
function OrderedLines({ view, cart }: { view: View; cart: CheckedCart }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{view.translate(ITEM)}</th>
          <th scope="col">{view.translate(AMOUNT)}</th>
        </tr>
      </thead>
      <tbody>
        {cart.lines.map((line) => (
          <tr key={line.product.id}>
            <td>
              {line.quantity} × {line.product.name}
              <LineNotes view={view} line={line} maxQuantity={cart.maxQuantity} />
            </td>
            <td>{view.formatPrice(line.product.priceCents * line.quantity, line.product.currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function LegalLinks({ view, pages }: { view: View; pages: readonly PageLink[] }) {
  if (!pages.length) return null
  return (
    <p class="quiet">
      {view.translate(W.TERMS)}{" "}
      {pages.map(({ slug, name }, at) => (
        <>
          {at > 0 && ", "}
          <a class="more" href={singlePath(PAGES, slug)}>
            {name}
          </a>
        </>
      ))}
    </p>
  )
}
