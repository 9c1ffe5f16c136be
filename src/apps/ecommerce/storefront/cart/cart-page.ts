// Serves the cart: GET shows it with the current prices and stock, POST adds, changes and removes products.
import { selectShopSettings, toShop } from "../../../../content/shop/settings"
import { fillPlaceholders } from "../../../../core/i18n/locale"
import type { FormFields, Visit, VisitorPage } from "../../../../storefront/visitor/page"
import { selectCartProducts } from "../queries"
import { renderCartPage } from "./cart"
import { getCart, setCart } from "./cookie"
import { type CartAction, type CartLine, changeCart, checkCart, MAX_QUANTITY, toCartLines } from "./rules"
import { CART_FULL, NOT_A_QUANTITY } from "./strings"

export const cartPage: VisitorPage = {
  path: "cart",
  async get(visit) {
    const cart = await readCart(visit, getCart(visit))
    setCart(visit, toCartLines(cart))
    return visit.render(renderCartPage(cart))
  },
  async post(visit, fields) {
    const form = parseForm(fields)
    const lines = getCart(visit)
    const changed = form && changeCart(lines, form.action, form.line)
    if (!changed) {
      const cart = await readCart(visit, lines)
      const error = form ? CART_FULL : NOT_A_QUANTITY
      return visit.render(
        renderCartPage(cart, (view) => fillPlaceholders(view.translate(error), { max: cart.maxQuantity })),
        422,
      )
    }
    const [products] = await visit.read([selectCartProducts(toParams(visit, changed))])
    const known = changed.filter(({ productId }) => products.some(({ id }) => id === productId))
    const priceOf = (line: CartLine) => products.find(({ id }) => id === line.productId)?.priceCents ?? 0
    // Without the price that the page showed, the visitor has seen none.
    setCart(
      visit,
      known.map((line) => (line.seenCents < 0 ? { ...line, seenCents: priceOf(line) } : line)),
    )
    return visit.redirect("/cart")
  },
}

/** Reads the products of a cart and compares them with it. */
async function readCart(visit: Visit, lines: readonly CartLine[]) {
  const { site } = visit.ctx
  const [products, [row]] = await visit.read([
    selectCartProducts(toParams(visit, lines)),
    selectShopSettings({ site: site.id }),
  ])
  return checkCart(lines, products, toShop(site, row))
}

export const toParams = ({ ctx }: Visit, lines: readonly CartLine[]) => ({
  site: ctx.site.id,
  ids: JSON.stringify(lines.map(({ productId }) => productId)),
})

const ACTIONS: readonly string[] = ["add", "set", "remove"] satisfies CartAction[]

/**
 * Parses the form of a line. `price` is what the visitor saw, for comparison only.
 * @returns null for a quantity that no cart can have
 */
function parseForm({ product_id, quantity = "1", action = "add", price = "" }: FormFields) {
  const isNumber = (text: string | undefined, pattern: RegExp): text is string =>
    text !== undefined && pattern.test(text)
  const isRemoval = action === "remove"
  if (!isNumber(product_id, /^[1-9]\d{0,14}$/) || !ACTIONS.includes(action)) return null
  if (!isRemoval && !isNumber(quantity.trim(), /^\d{1,4}$/)) return null
  const pieces = isRemoval ? 1 : Number(quantity)
  if (pieces > MAX_QUANTITY || (pieces === 0 && action === "add")) return null
  const line: CartLine = {
    productId: Number(product_id),
    quantity: pieces,
    seenCents: /^\d{1,10}$/.test(price) ? Number(price) : -1,
  }
  return { action: action as CartAction, line }
}
