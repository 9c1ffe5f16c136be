// Rules for placing orders and for their status transitions. Pure functions.
import type * as z from "zod"
import { type FieldErrors, invalid, Refusal } from "../../../core/http/refusal"
import type { Product } from "../products/schemas"
import type { OrderStatus } from "../tables"
import type { PlaceOrder } from "./schemas"

/**
 * Checks that the products can be ordered together in the requested quantities.
 * @param products the requested products that are published
 * @returns the common currency of the products
 * @throws Refusal `validation_failed` with every item that cannot be ordered
 */
export function assertOrderable(
  { items }: z.output<typeof PlaceOrder>,
  products: readonly Pick<Product, "id" | "currency" | "stock">[],
): string {
  const fields: FieldErrors = {}
  const currency = products[0]?.currency ?? ""
  for (const [index, { product_id, quantity }] of items.entries()) {
    const product = products.find(({ id }) => id === product_id)
    if (!product || product.currency !== currency) fields[`items.${index}.product_id`] = [{ rule: "selected" }]
    else if (product.stock !== null && product.stock < quantity) {
      fields[`items.${index}.quantity`] = [{ rule: "max_value", facts: { max: product.stock } }]
    }
  }
  if (Object.keys(fields).length) throw new Refusal("validation_failed", { fields })
  return currency
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

/** @throws Refusal `validation_failed` for a status that cannot follow the current one */
export function assertTransition(from: OrderStatus, to: OrderStatus): void {
  if (!TRANSITIONS[from].includes(to)) throw invalid("status", "selected")
}
