// What a store uses, held against what a plan allows. Pure.
import { type FieldFaults, Refusal } from "../../core/refusal"
import type { Limits } from "../../db/schema/central/plans"

/** What a store uses: products, orders of the calendar month, bytes in media, staff users. */
export interface Counts {
  products: number
  orders: number
  storageBytes: number
  staffUsers: number
}

/** A store that was never provisioned. */
export const NOTHING: Counts = { products: 0, orders: 0, storageBytes: 0, staffUsers: 0 }

const MEGABYTE = 1024 * 1024

/**
 * Holds usage to limits, of which 0 is none.
 * @throws Refusal `plan_too_small` naming every limit that usage is over
 */
export function assertFits(usage: Counts, limits: Limits): void {
  const used: Limits = {
    products: usage.products,
    orders: usage.orders,
    storage_mb: Math.ceil(usage.storageBytes / MEGABYTE),
    staff_users: usage.staffUsers,
  }
  const fields: FieldFaults = {}
  for (const limit of Object.keys(used) as (keyof Limits)[]) {
    if (limits[limit] > 0 && used[limit] > limits[limit]) {
      fields[limit] = [{ rule: "limit_exceeded", facts: { usage: used[limit], limit: limits[limit] } }]
    }
  }
  if (Object.keys(fields).length) throw new Refusal("plan_too_small", { fields })
}
