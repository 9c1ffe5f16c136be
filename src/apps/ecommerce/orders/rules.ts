// Rules for placing orders and for their status transitions. Pure functions.
import type * as z from "zod"
import type { FieldError } from "../../../core/http/refusal"
import type { Product } from "../products/schemas"
import type { OrderStatus } from "../tables"
import type { PlaceOrder } from "./schemas"

type Values = z.output<typeof PlaceOrder>

/** The error of an item; `path` is below `items`. */
type ItemError = FieldError & { path: string }

/**
 * Finds the items that cannot be ordered together in the requested quantities: all products have the currency of the
 * first.
 * @param products the requested products that are published
 */
export function findItemErrors(
  items: Values["items"],
  products: readonly Pick<Product, "id" | "currency" | "stock">[],
): ItemError[] {
  return items.flatMap(({ product_id, quantity }, index): ItemError[] => {
    const product = products.find(({ id }) => id === product_id)
    if (!product || product.currency !== products[0]?.currency) {
      return [{ path: `${index}.product_id`, rule: "selected" }]
    }
    if (product.stock === null || product.stock >= quantity) return []
    return [{ path: `${index}.quantity`, rule: "max_value", facts: { max: product.stock } }]
  })
}

/** Pending orders of one user. */
const MAX_PENDING_PER_USER = 10

/** Pending orders of one network, unless the plan's limit results in fewer. */
const MAX_PENDING_PER_NETWORK = 20

/**
 * Computes how many pending orders one user and one network may have. A network may have half of the plan's monthly
 * orders, but never fewer than a user. Without a monthly limit a network cannot exhaust anything, and many customers
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

const TRANSITIONS: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ["paid", "cancelled"],
  paid: ["fulfilled", "cancelled"],
  fulfilled: [],
  cancelled: [],
}

/** Whether a status can follow the current one. */
export const isTransition = (from: OrderStatus, to: OrderStatus): boolean => TRANSITIONS[from].includes(to)
