// The page of the visitor's cart: its lines with what changed since, and forms that change it.
import { fillPlaceholders } from "../../../../core/i18n/locale"
import { assertNever } from "../../../../lib/assert-never"
import { withColon } from "../../../../lib/intl"
import { Message } from "../../../../storefront/components/form"
import { Frame } from "../../../../storefront/components/frame"
import type { Page } from "../../../../storefront/part"
import { CART as CART_PATH, listPath, singlePath } from "../../../../storefront/paths"
import type { View } from "../../../../storefront/view"
import { PATH } from "../data"
import { SUBTOTAL } from "../order-strings"
import { ALL_PRODUCTS } from "../strings"
import { type CheckedCart, type CheckedLine, listBlockedLines, listSummedLines } from "./rules"
import * as W from "./strings"

/** Path of the checkout. */
export const CHECKOUT_PATH = "/checkout"

/** @param error why a form was refused */
export const renderCartPage =
  (cart: CheckedCart, error?: (view: View) => string): Page =>
  (view) => {
    const { lines, currency, goneCount, maxQuantity } = cart
    const [first] = lines
    const isBlocked = listBlockedLines(cart).length > 0
    const hasOneCurrency = listSummedLines(lines).length === lines.length
    return {
      meta: { title: view.translate(W.CART), description: "", path: null },
      section: CART_PATH,
      body: (
        <article class="cart section shell narrow">
          <h1>{view.translate(W.CART)}</h1>
          {error && (
            <Message isError>
              <p>{error(view)}</p>
            </Message>
          )}
          {goneCount > 0 && (
            <Message>
              <p>{view.translate(W.ITEMS_GONE)}</p>
            </Message>
          )}
          {isBlocked && (
            <Message isError>
              <BlockedLines view={view} cart={cart} />
            </Message>
          )}
          {first ? (
            <>
              <ul class="cart-lines">
                {lines.map((line) => (
                  <Line key={line.product.id} view={view} line={line} maxQuantity={maxQuantity} />
                ))}
              </ul>
              {hasOneCurrency && (
                <p class="cart-sum">
                  {view.translate(SUBTOTAL)} <b>{view.formatPrice(sumOf(lines), currency)}</b>
                </p>
              )}
              <p class="quiet">{view.translate(W.SHIPPING_LATER)}</p>
              <p class="actions">
                {!isBlocked && (
                  <a class="button" href={CHECKOUT_PATH}>
                    {view.translate(W.CHECKOUT)}
                  </a>
                )}
                <a class="more" href={listPath(PATH)}>
                  {view.translate(W.CONTINUE_SHOPPING)}
                </a>
              </p>
            </>
          ) : (
            <>
              <p class="lede">{view.translate(W.EMPTY_CART)}</p>
              <p class="actions">
                <a class="button" href={listPath(PATH)}>
                  {view.translate(ALL_PRODUCTS)}
                </a>
              </p>
            </>
          )}
        </article>
      ),
    }
  }

/** The price of lines in one currency. */
const sumOf = (lines: readonly CheckedLine[]): number =>
  lines.reduce((sum, { product, quantity }) => sum + product.priceCents * quantity, 0)

/** Id of the quantity field of a line on the cart page. */
const quantityId = ({ product }: CheckedLine): string => `quantity-${product.id}`

function Line({ view, line, maxQuantity }: { view: View; line: CheckedLine; maxQuantity: number }) {
  const { product, quantity } = line
  const id = quantityId(line)
  return (
    <li>
      <Frame name={product.name} image={product.image} format="tall" />
      <div>
        <h2>
          <a href={singlePath(PATH, product.slug)}>{product.name}</a>
        </h2>
        <p>{view.formatPrice(product.priceCents, product.currency)}</p>
        <LineNotes view={view} line={line} maxQuantity={maxQuantity} id={`${id}-notes`} />
        <form method="post" action={CART_PATH} class="row">
          <input type="hidden" name="product_id" value={String(product.id)} />
          <label for={id} class="hidden">
            {withColon(view.translate(W.QUANTITY), view.language)} {product.name}
          </label>
          <input
            id={id}
            type="number"
            name="quantity"
            value={String(quantity)}
            min="0"
            max={String(maxQuantity)}
            aria-describedby={hasNotes(line) ? `${id}-notes` : undefined}
            aria-invalid={line.problem ? "true" : undefined}
          />
          <button class="plain" type="submit" name="action" value="set">
            {view.translate(W.UPDATE)}
            <span class="hidden"> {product.name}</span>
          </button>
          <button class="plain" type="submit" name="action" value="remove" formnovalidate>
            {view.translate(W.REMOVE)}
            <span class="hidden"> {product.name}</span>
          </button>
        </form>
      </div>
      <p class="cart-price">{view.formatPrice(product.priceCents * quantity, product.currency)}</p>
    </li>
  )
}

const hasNotes = ({ problem, changedFrom }: CheckedLine): boolean => problem !== null || changedFrom !== null

interface LineNotesProps {
  view: View
  line: CheckedLine
  maxQuantity: number
  id?: string
}

/** The products that cannot be ordered, with the reasons. */
export function BlockedLines({ view, cart }: { view: View; cart: CheckedCart }) {
  return (
    <>
      <p>{view.translate(W.BLOCKED_CART)}</p>
      <ul>
        {listBlockedLines(cart).map((line) => (
          <li key={line.product.id}>
            <a class="more" href={`${CART_PATH}#${quantityId(line)}`}>
              {line.product.name}
            </a>{" "}
            · {line.problem && describeProblem(view, line.problem, cart.maxQuantity)}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Notes on changes since the visitor saw the product, and the reason why it cannot be ordered. */
export function LineNotes({ view, line, maxQuantity, id }: LineNotesProps) {
  if (!hasNotes(line)) return null
  const { product, changedFrom, problem } = line
  return (
    <p class={problem ? "field-error" : "hint"} id={id}>
      {problem && <>{describeProblem(view, problem, maxQuantity)} </>}
      {changedFrom !== null &&
        fillPlaceholders(view.translate(W.PRICE_CHANGED), {
          before: view.formatPrice(changedFrom, product.currency),
          now: view.formatPrice(product.priceCents, product.currency),
        })}
    </p>
  )
}

function describeProblem(view: View, problem: NonNullable<CheckedLine["problem"]>, maxQuantity: number): string {
  switch (problem.kind) {
    case "currency":
      return view.translate(W.OTHER_CURRENCY)
    case "shipping_currency":
      return view.translate(W.OTHER_SHIPPING_CURRENCY)
    case "quantity":
      return fillPlaceholders(view.translate(W.MAX_PER_ORDER), { max: maxQuantity })
    case "stock":
      return problem.left > 0
        ? fillPlaceholders(view.translate(W.ONLY_LEFT), { left: problem.left })
        : view.translate(W.SOLD_OUT)
    default:
      return assertNever(problem)
  }
}
