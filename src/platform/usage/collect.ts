// Counting what stores use, in the site databases that hold them.
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { batch, siteDatabase } from "../../db/client"
import { yearMonth } from "../../lib/time"
import type { StoreFacts } from "../stores/schemas"
import { counters } from "./counters"
import { type Counts, NOTHING } from "./rules"

/**
 * Counts stores of one site database, in one round trip.
 * @param sites store ids
 * @returns the counts of those that use anything
 */
export async function countSites(ctx: Ctx, database: string, sites: string[]): Promise<Map<string, Counts>> {
  const db = siteDatabase(ctx.env, database)
  const kinds = counters()
  const scope = { sites, period: yearMonth(ctx.now) }
  const answers = await batch(
    db,
    kinds.map(([, counter]) => counter(db, scope)),
  )
  const found = new Map<string, Counts>()
  for (const [index, [name]] of kinds.entries()) {
    for (const { site, total } of answers[index] ?? []) {
      found.set(site, { ...(found.get(site) ?? NOTHING), [name]: total })
    }
  }
  return found
}

/** What each site database counted for one store; null where it could not be asked. */
type SiteCounts = Map<string, Counts | null>

/**
 * Counts one store in every site database at once: which of them holds it need not be known yet, so that this can run beside
 * the query that tells. Never throws.
 */
export async function countSite(ctx: Ctx, id: string): Promise<SiteCounts> {
  const counted = ctx.settings.SITE_DATABASES.map(async (database) => {
    try {
      return [database, (await countSites(ctx, database, [id])).get(id) ?? NOTHING] as const
    } catch (cause) {
      ctx.log.error("usage could not be counted", cause, { database })
      return [database, null] as const
    }
  })
  return new Map(await Promise.all(counted))
}

/**
 * What a store uses, by the count of its own site database; nothing while it has none.
 * @throws Refusal `usage_unavailable` when that database could not be asked
 */
export function usageOf({ database }: StoreFacts["store"], counted: SiteCounts): Counts {
  if (!database) return NOTHING
  const counts = counted.get(database)
  if (!counts) throw new Refusal("usage_unavailable")
  return counts
}
