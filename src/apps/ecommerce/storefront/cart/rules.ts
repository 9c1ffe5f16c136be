// Rules of the visitor's cart: the changes of forms, and the notes on each line. Pure functions.
import type { Shop } from "../../../../content/shop/settings"

/** Lines of a cart. */
export const MAX_LINES = 50

/** Maximum quantity of one product in a cart. The shop's `max_item_quantity` is at most this. */
export const MAX_QUANTITY = 1000

/** A line as the visitor's browser stores it. */
export interface CartLine {
  productId: number
  quantity: number
  /** The price that the visitor saw, in the currency's smallest unit. */
  seenCents: number
}

export type CartAction = "add" | "set" | "remove"

/**
 * Applies a form to a cart.
 * @returns null when the cart has too many lines
 */
export function changeCart(
  lines: readonly CartLine[],
  action: CartAction,
  { productId, quantity, seenCents }: CartLine,
): CartLine[] | null {
  const present = lines.find((line) => line.productId === productId)
  if (action === "remove" || (action === "set" && quantity === 0))
    return lines.filter((line) => line.productId !== productId)
  if (!present) {
    if (lines.length >= MAX_LINES) return null
    return [...lines, { productId, quantity: Math.min(quantity, MAX_QUANTITY), seenCents }]
  }
  const next = Math.min(action === "add" ? present.quantity + quantity : quantity, MAX_QUANTITY)
  return lines.map((line) => (line === present ? { ...line, quantity: next } : line))
}

/** A product in a cart. */
export interface CartProduct {
  id: number
  slug: string
  name: string
  image: string | null
  priceCents: number
  currency: string
  /** Null when it is not tracked. */
  stock: number | null
}

/**
 * Too few items are left, the shop takes fewer per order, or the product's currency differs from that of the price of
 * shipping or of the first product.
 */
type LineProblem =
  | { kind: "stock"; left: number }
  | { kind: "quantity" }
  | { kind: "shipping_currency" }
  | { kind: "currency" }

/** A line of the cart with its product, as it is now. */
export interface CheckedLine {
  product: CartProduct
  quantity: number
  /** The price that the visitor saw, if it has changed. */
  changedFrom: number | null
  /** Why the line cannot be ordered. */
  problem: LineProblem | null
}

export interface CheckedCart {
  lines: CheckedLine[]
  /** The currency of the sums; empty for an empty cart. */
  currency: string
  /** Lines whose product is no longer sold. */
  goneCount: number
  /** The largest quantity of a product that the shop takes in one order. */
  maxQuantity: number
}

/** Compares a cart with the products that are for sale, and with the shop's settings. */
export function checkCart(
  lines: readonly CartLine[],
  products: readonly CartProduct[],
  { max_item_quantity: maxQuantity, shippingCurrency }: Pick<Shop, "max_item_quantity" | "shippingCurrency">,
): CheckedCart {
  const found = lines.flatMap((line) => {
    const product = products.find(({ id }) => id === line.productId)
    return product ? [{ line, product }] : []
  })
  const currency = shippingCurrency ?? found[0]?.product.currency ?? ""
  const otherCurrency: LineProblem = { kind: shippingCurrency ? "shipping_currency" : "currency" }
  return {
    currency,
    maxQuantity,
    goneCount: lines.length - found.length,
    lines: found.map(({ line, product }) => ({
      product,
      quantity: line.quantity,
      changedFrom: line.seenCents === product.priceCents ? null : line.seenCents,
      problem: product.currency === currency ? findProblem(line, product, maxQuantity) : otherCurrency,
    })),
  }
}

/** The lines that cannot be ordered. While there are any, the cart has no checkout. */
export const listBlockedLines = ({ lines }: CheckedCart): CheckedLine[] =>
  lines.filter(({ problem }) => problem !== null)

/** The lines in the currency of the cart's sums. */
export const listSummedLines = (lines: readonly CheckedLine[]): CheckedLine[] =>
  lines.filter(({ problem }) => problem?.kind !== "currency" && problem?.kind !== "shipping_currency")

function findProblem(
  { quantity }: CartLine,
  { stock }: Pick<CartProduct, "stock">,
  maxQuantity: number,
): LineProblem | null {
  if (quantity <= Math.min(stock ?? maxQuantity, maxQuantity)) return null
  return stock !== null && stock <= maxQuantity ? { kind: "stock", left: stock } : { kind: "quantity" }
}

/** Converts a checked cart back: the visitor has now seen the current prices. */
export const toCartLines = ({ lines }: CheckedCart): CartLine[] =>
  lines.map(({ product, quantity }) => ({ productId: product.id, quantity, seenCents: product.priceCents }))
