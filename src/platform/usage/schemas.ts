// The query and the resource of usage.
import * as z from "zod"
import { queryFlag } from "../../core/http/validation"
import type { stores, usageSnapshots } from "../../db/schema/central/stores"
import { formatTimestamp } from "../../lib/time"
import { listUsageNames, type UsageName } from "./rules"

export const ReadUsage = z.object({ refresh: queryFlag.optional() })

/** Builds a record with a value for every kind of usage. */
const mapUsageNames = <Value>(value: (name: UsageName) => Value): Record<UsageName, Value> =>
  Object.fromEntries(listUsageNames().map((name) => [name, value(name)])) as Record<UsageName, Value>

export const UsageResource = z
  .object({
    period: z.string(),
    ...mapUsageNames(() => z.int()),
    collected_at: z.string(),
  })
  .meta({ id: "Usage" })

export const StoreUsageResource = z
  .object({ store_id: z.string(), period: z.string(), live: z.boolean(), usage: UsageResource })
  .meta({ id: "StoreUsage" })

/** A store and its latest snapshot; a subset of `StoreFacts`, which would be a circular import. */
interface CountedStore {
  store: Pick<typeof stores.$inferSelect, "id" | "createdAt">
  usage: typeof usageSnapshots.$inferSelect | null
}

/** The resource of a usage snapshot. For a store without one, all counts are 0 as of its creation. */
export function usageResource({ store, usage }: CountedStore): z.input<typeof UsageResource> {
  return {
    period: usage?.period ?? store.createdAt.toISOString().slice(0, 7),
    ...mapUsageNames((name) => usage?.counts[name] ?? 0),
    collected_at: formatTimestamp(usage?.collectedAt ?? store.createdAt),
  }
}

/** @param live whether usage was counted for this response */
export function storeUsageResource(counted: CountedStore, live: boolean): z.input<typeof StoreUsageResource> {
  const usage = usageResource(counted)
  return { store_id: counted.store.id, period: usage.period, live, usage }
}
