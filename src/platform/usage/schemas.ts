// Usage as the API shows it.
import * as z from "zod"
import { queryFlag } from "../../core/http/validation"
import { timestamp } from "../../lib/time"
import type { StoreFacts } from "../stores/schemas"
import { type CountedName, counted } from "./rules"

export const ReadUsage = z.object({ refresh: queryFlag.optional() })

/** A value for everything that is counted. */
const each = <Value>(value: (name: CountedName) => Value): Record<CountedName, Value> =>
  Object.fromEntries(counted().map((name) => [name, value(name)])) as Record<CountedName, Value>

export const UsageBlock = z
  .object({
    period: z.string(),
    ...each(() => z.int()),
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
    ...each((name) => usage?.counts[name] ?? 0),
    collected_at: timestamp(usage?.collectedAt ?? store.createdAt),
  }
}

/** @param live whether it was counted for this answer */
export function storeUsage(facts: StoreFacts, live: boolean): z.input<typeof StoreUsage> {
  const usage = usageBlock(facts)
  return { store_id: facts.store.id, period: usage.period, live, usage }
}
