// What may be ordered, and what may become of an order. Pure.
import type * as z from "zod"
import { type FieldFaults, invalid, Refusal } from "../../../core/http/refusal"
import type { OrderStatus } from "../../../db/schema/sites/orders"
import type { Product } from "../products/schemas"
import type { PlaceOrder } from "./schemas"

/**
 * Whether these products can be ordered together, and in these quantities.
 * @param found those of them that the site sells
 * @returns the currency they are sold in
 * @throws Refusal `validation_failed` naming each item that cannot be had
 */
export function assertOrderable(
  { items }: z.output<typeof PlaceOrder>,
  found: readonly Pick<Product, "id" | "currency" | "stock">[],
): string {
  const fields: FieldFaults = {}
  const currency = found[0]?.currency ?? ""
  for (const [at, { product_id, quantity }] of items.entries()) {
    const product = found.find(({ id }) => id === product_id)
    if (!product || product.currency !== currency) fields[`items.${at}.product_id`] = [{ rule: "selected" }]
    else if (product.stock !== null && product.stock < quantity) {
      fields[`items.${at}.quantity`] = [{ rule: "max_value", facts: { max: product.stock } }]
    }
  }
  if (Object.keys(fields).length) throw new Refusal("validation_failed", { fields })
  return currency
}

/** Pending orders of one user. */
const MAX_PENDING_PER_USER = 10

/** Pending orders of one network, where the plan's limit does not say less. */
const MAX_PENDING_PER_NETWORK = 20

/**
 * Pending orders that one user and one network may hold at a time: a network at most half of the plan's monthly orders, but as many as
 * a user. Without a monthly limit there is nothing that a network could use up, and many customers may share an address.
 * @param limit orders per month of the plan; 0 for no limit
 */
export const pendingLimits = (limit: number): { user: number; network: number } => ({
  user: MAX_PENDING_PER_USER,
  network: limit
    ? Math.min(Math.max(Math.floor(limit / 2), MAX_PENDING_PER_USER), MAX_PENDING_PER_NETWORK)
    : Number.MAX_SAFE_INTEGER,
})

/** Whether pending orders hold more than four fifths of the places that paid orders leave in a month. */
export const isCrowded = ({ free, pending }: { free: number; pending: number }): boolean => pending > 4 * free

const NEXT: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ["paid", "cancelled"],
  paid: ["fulfilled", "cancelled"],
  fulfilled: [],
  cancelled: [],
}

/** @throws Refusal `validation_failed` for a status that an order cannot come to from where it is */
export function assertMovable(from: OrderStatus, to: OrderStatus): void {
  if (!NEXT[from].includes(to)) throw invalid("status", "selected")
}
