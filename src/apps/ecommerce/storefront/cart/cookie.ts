// The cookie of the visitor's cart: product ids, quantities and the prices that the visitor saw, such as
// `7-2-1990_9-1-500`. It is only compared with the database, never trusted. The script of the storefront
// (storefront/cart-script.ts) counts the items.

import { DAY, SECOND } from "../../../../lib/time"
import { cartCookieName } from "../../../../storefront/cart-cookie"
import type { Visit } from "../../../../storefront/visitor/page"
import { isSecure } from "../../../../storefront/visitor/session"
import { type CartLine, MAX_LINES, MAX_QUANTITY } from "./rules"

const TTL = 30 * DAY

const LINE = /^([1-9]\d{0,14})-([1-9]\d{0,3})-(\d{1,10})$/

/** Parses a cart. Malformed lines, lines beyond the limit and repeated products are dropped. */
export function parseCart(text: string | undefined): CartLine[] {
  const lines = new Map<number, CartLine>()
  for (const part of (text ?? "").slice(0, 2_000).split("_")) {
    const [, id, quantity, seen] = LINE.exec(part) ?? []
    const line = { productId: Number(id), quantity: Number(quantity), seenCents: Number(seen) }
    if (seen === undefined || line.quantity > MAX_QUANTITY || lines.size >= MAX_LINES) continue
    if (!lines.has(line.productId)) lines.set(line.productId, line)
  }
  return [...lines.values()]
}

/** Formats a cart, the reverse of `parseCart`. */
export const formatCart = (lines: readonly CartLine[]): string =>
  lines.map(({ productId, quantity, seenCents }) => `${productId}-${quantity}-${seenCents}`).join("_")

/** Returns the cart of a visitor. */
export const getCart = ({ ctx, cookies }: Visit): CartLine[] =>
  parseCart(cookies.get(cartCookieName(isSecure(ctx.settings))))

/** Sets or deletes the cookie, if its content changes. */
export function setCart({ ctx, cookies }: Visit, lines: readonly CartLine[]): void {
  const name = cartCookieName(isSecure(ctx.settings))
  const text = formatCart(lines)
  if (text === (cookies.get(name) ?? "")) return
  // The script of the storefront counts its items.
  cookies.set(name, text, { maxAgeSeconds: text ? TTL / SECOND : 0, httpOnly: false })
}
