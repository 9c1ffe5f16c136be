// Rules for placing orders, for their status transitions, and for what they lose with an account. Pure functions.
import type * as z from "zod"
import type { Shop } from "../../../content/shop/settings"
import type { FieldError } from "../../../core/http/refusal"
import { DAY } from "../../../lib/time"
import type { Product } from "../products/schemas"
import {
  ERASED_USER_ID,
  GUEST_USER_ID,
  type OrderStatus,
  PAYMENT_METHODS,
  type PaymentMethod,
  SHIPPING_METHODS,
  type ShippingMethod,
} from "../tables"
import type { Order, PlaceOrder } from "./schemas"

type Values = z.output<typeof PlaceOrder>

/** The error of an item; `path` is below `items`. */
type ItemError = FieldError & { path: string }

/**
 * Finds the items that cannot be ordered together in the requested quantities: all products have the currency of the
 * price of shipping, or without one of the first item that can be ordered.
 * @param products the requested products that are published
 */
export function findItemErrors(
  items: Values["items"],
  products: readonly Pick<Product, "id" | "currency" | "stock">[],
  { max_item_quantity: maxQuantity, shippingCurrency }: Pick<Shop, "max_item_quantity" | "shippingCurrency">,
): ItemError[] {
  const byId = new Map(products.map((product) => [product.id, product]))
  const first = items.find(({ product_id }) => byId.has(product_id))
  const currency = shippingCurrency ?? (first && byId.get(first.product_id)?.currency)
  return items.flatMap(({ product_id, quantity }, index): ItemError[] => {
    const product = byId.get(product_id)
    if (!product || product.currency !== currency) return [{ path: `${index}.product_id`, rule: "selected" }]
    const max = Math.min(product.stock ?? maxQuantity, maxQuantity)
    return quantity > max ? [{ path: `${index}.quantity`, rule: "max_value", facts: { max } }] : []
  })
}

/** The amounts of an order, in the currency's smallest unit. */
export interface Totals {
  itemsCents: number
  shippingCents: number
  /** Part of the prices where they include the tax, else added to them. */
  taxCents: number
  totalCents: number
}

/** Tax rates have at most three digits after the point, so thousandths of a percent are integers. */
const RATE_UNITS = 1000

/**
 * Computes the amounts of an order. Shipping is taxed like the items, and the tax is rounded once, on the sum.
 * @param items the unit price and the quantity of each item
 */
export function computeTotals(
  items: readonly { priceCents: number; quantity: number }[],
  shop: Pick<Shop, "tax_rate" | "prices_include_tax" | "shipping">,
  method: ShippingMethod,
): Totals {
  const itemsCents = items.reduce((sum, { priceCents, quantity }) => sum + priceCents * quantity, 0)
  const { flat_cents: flat, free_above_cents: freeAbove } = shop.shipping
  const isFree = method === "pickup" || (freeAbove !== null && itemsCents >= freeAbove)
  const shippingCents = isFree ? 0 : flat
  const sum = itemsCents + shippingCents
  const rate = Math.round(shop.tax_rate * RATE_UNITS)
  const whole = 100 * RATE_UNITS
  const taxCents = Math.round((sum * rate) / (shop.prices_include_tax ? whole + rate : whole))
  return { itemsCents, shippingCents, taxCents, totalCents: shop.prices_include_tax ? sum : sum + taxCents }
}

/** The sums of an order that was placed. Orders from before shipping and taxes only have a total. */
export const totalsOf = ({
  itemsCents,
  shippingCents,
  taxCents,
  totalCents,
}: Pick<Order, "itemsCents" | "shippingCents" | "taxCents" | "totalCents">): Totals => ({
  itemsCents: itemsCents ?? totalCents,
  shippingCents: shippingCents ?? 0,
  taxCents: taxCents ?? 0,
  totalCents,
})

/** Whether the prices include the tax, so that it is not one of the sums that add up to the total. */
export const isTaxIncluded = ({ itemsCents, shippingCents, totalCents }: Totals): boolean =>
  totalCents === itemsCents + shippingCents

/** One of the sums of an order. The last one, `included_tax`, is part of the total. */
export interface OrderSum {
  name: "subtotal" | "shipping" | "tax" | "total" | "included_tax"
  cents: number
}

/** Lists the sums of an order: those that add up to the total, the total, and the tax that it contains. */
export function listOrderSums(order: Parameters<typeof totalsOf>[0]): OrderSum[] {
  const totals = totalsOf(order)
  const tax = (name: "tax" | "included_tax"): OrderSum[] =>
    totals.taxCents && isTaxIncluded(totals) === (name === "included_tax") ? [{ name, cents: totals.taxCents }] : []
  return [
    { name: "subtotal", cents: totals.itemsCents },
    { name: "shipping", cents: totals.shippingCents },
    ...tax("tax"),
    { name: "total", cents: totals.totalCents },
    ...tax("included_tax"),
  ]
}

/** Lists the payment methods that have instructions. */
export const listPaymentMethods = ({ payment }: Pick<Shop, "payment">): PaymentMethod[] =>
  PAYMENT_METHODS.filter((method) => payment[method] !== null)

/** Lists the shipping methods that a shop offers. */
export const listShippingMethods = ({ shipping }: Pick<Shop, "shipping">): ShippingMethod[] =>
  SHIPPING_METHODS.filter((method) => method === "flat" || shipping.pickup)

/** Finds what a guest has to add, because there is no account to take it from. */
export const findGuestErrors = (customer: Values["customer"]): ItemError[] =>
  (["name", "email"] as const).flatMap((path) => (customer?.[path] ? [] : [{ path, rule: "required" as const }]))

/** Pending orders of one user, or of the guests of one network. */
const MAX_PENDING_PER_USER = 10

/** Pending orders of one network, unless the plan's limit results in fewer. */
const MAX_PENDING_PER_NETWORK = 20

/**
 * Computes how many pending orders one user and one network may have. A network may have half of the plan's monthly
 * orders, but never fewer than a user. Without a monthly limit a network cannot exhaust the plan, and many customers
 * may share an address, so networks are not limited.
 * @param limit orders per month of the plan; 0 for no limit
 */
export const computePendingLimits = (limit: number): { user: number; network: number } => ({
  user: MAX_PENDING_PER_USER,
  network: limit
    ? Math.min(Math.max(Math.floor(limit / 2), MAX_PENDING_PER_USER), MAX_PENDING_PER_NETWORK)
    : Number.MAX_SAFE_INTEGER,
})

/** Whether pending orders take up more than four fifths of the monthly limit that paid orders leave. */
export const arePendingOrdersOverQuota = ({ free, pending }: { free: number; pending: number }): boolean =>
  pending > 4 * free

/** Days to pay an order: a transfer takes some, and on delivery the customer pays last. */
const PAYMENT_DAYS: Record<PaymentMethod, number> = { transfer: 7, on_delivery: 30 }

/** Days to pay an order without a payment method, which the shop's own app collects. */
const DEFAULT_PAYMENT_DAYS = 1

/**
 * Computes how long a pending order waits for its payment.
 * @returns milliseconds
 */
export const computePaymentWindow = (method: PaymentMethod | null): number =>
  (method ? PAYMENT_DAYS[method] : DEFAULT_PAYMENT_DAYS) * DAY

const TRANSITIONS: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ["paid", "cancelled"],
  paid: ["fulfilled", "cancelled"],
  fulfilled: [],
  cancelled: [],
}

/** Whether a status can follow the current one. */
export const isTransition = (from: OrderStatus, to: OrderStatus): boolean => TRANSITIONS[from].includes(to)

/** The statuses of orders that are still to be sent, for which the shop needs the customer's address. */
export const OPEN_STATUSES = ["pending", "paid"] as const satisfies OrderStatus[]

/** An order without its customer: the amounts and items stay. */
export const WITHOUT_CUSTOMER = {
  userId: GUEST_USER_ID,
  attachedAt: null,
  customerName: null,
  customerEmail: null,
  customerPhone: null,
  locale: null,
  shippingAddress: null,
  note: null,
  staffNote: null,
  tracking: null,
  network: null,
} as const satisfies Partial<Order>

/** Returns the columns to erase when an order is closed whose customer has deleted the account. */
export const getErasedColumns = (
  { userId }: Pick<Order, "userId">,
  to: OrderStatus,
): Partial<typeof WITHOUT_CUSTOMER> =>
  userId === ERASED_USER_ID && !OPEN_STATUSES.some((status) => status === to) ? WITHOUT_CUSTOMER : {}
