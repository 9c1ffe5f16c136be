// Usage as the API shows it.
import * as z from "zod"
import { queryFlag } from "../../core/validation"
import { timestamp } from "../../lib/time"
import type { StoreFacts } from "../stores/schemas"

export const ReadUsage = z.object({ refresh: queryFlag.optional() })

export const UsageBlock = z
  .object({
    period: z.string(),
    products: z.int(),
    orders: z.int(),
    storage_bytes: z.int(),
    staff_users: z.int(),
    collected_at: z.string(),
  })
  .meta({ id: "Usage" })

export const StoreUsage = z
  .object({ store_id: z.string(), period: z.string(), live: z.boolean(), usage: UsageBlock })
  .meta({ id: "StoreUsage" })

/** A usage snapshot; a store that was never counted has used nothing since it was made. */
export function usageBlock({ store, usage }: Pick<StoreFacts, "store" | "usage">): z.input<typeof UsageBlock> {
  return {
    period: usage?.period ?? store.createdAt.toISOString().slice(0, 7),
    products: usage?.products ?? 0,
    orders: usage?.orders ?? 0,
    storage_bytes: usage?.storageBytes ?? 0,
    staff_users: usage?.staffUsers ?? 0,
    collected_at: timestamp(usage?.collectedAt ?? store.createdAt),
  }
}

/** @param live whether it was counted for this answer */
export function storeUsage(facts: StoreFacts, live: boolean): z.input<typeof StoreUsage> {
  const usage = usageBlock(facts)
  return { store_id: facts.store.id, period: usage.period, live, usage }
}
