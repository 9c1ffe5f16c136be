// Counts the usage of stores in their site databases.
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { batch, siteDatabase } from "../../db/client"
import { acrossSites } from "../../db/site-scope"
import { yearMonth } from "../../lib/time"
import type { StoreDetails } from "../stores/schemas"
import { listCounters } from "./counters"
import { NO_USAGE, type UsageCounts } from "./rules"

/**
 * Counts the usage of stores in one site database, in one round trip.
 * @param sites store ids
 * @returns counts by store id, without stores that use nothing
 */
export async function countUsage(ctx: Ctx, database: string, sites: string[]): Promise<Map<string, UsageCounts>> {
  const db = siteDatabase(ctx.env, database, acrossSites("usage_counts"))
  const kinds = listCounters()
  const scope = { sites, period: yearMonth(ctx.now) }
  const results = await batch(
    db,
    kinds.map(([, counter]) => counter(db, scope)),
  )
  const found = new Map<string, UsageCounts>()
  for (const [index, [name]] of kinds.entries()) {
    for (const { site, total } of results[index] ?? []) {
      found.set(site, { ...(found.get(site) ?? NO_USAGE), [name]: total })
    }
  }
  return found
}

/** A store's usage by site database; null where the query failed. */
type UsageByDatabase = Map<string, UsageCounts | null>

/**
 * Counts one store's usage in every site database, so that it can run in parallel with the query that finds the store's
 * database. Never throws.
 */
export async function countStoreUsage(ctx: Ctx, id: string): Promise<UsageByDatabase> {
  // lint: each site database
  const counted = ctx.settings.SITE_DATABASES.map(async (database) => {
    try {
      return [database, (await countUsage(ctx, database, [id])).get(id) ?? NO_USAGE] as const
    } catch (cause) {
      ctx.log.error("usage could not be counted", cause, { database })
      return [database, null] as const
    }
  })
  return new Map(await Promise.all(counted))
}

/**
 * Returns a store's usage, as counted in its own site database; no usage while it has none.
 * @throws Refusal `usage_unavailable` when the query of that database failed
 */
export function getUsage({ database }: StoreDetails["store"], counted: UsageByDatabase): UsageCounts {
  if (!database) return NO_USAGE
  const counts = counted.get(database)
  if (!counts) throw new Refusal("usage_unavailable")
  return counts
}
