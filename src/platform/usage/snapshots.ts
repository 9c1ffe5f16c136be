// Stores usage snapshots in the central database, so that showing a store's usage does not have to count it.

import { and, asc, gt, isNotNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { enqueueJob } from "../../core/queue/leased-jobs"
import type { Job } from "../../core/queue/messages"
import { writeUnaudited } from "../../core/write/commit"
import { literal } from "../../db/literal"
import { stores, usageSnapshots } from "../../db/schema/central/stores"
import { insertSelect, type Write } from "../../db/write"
import { yearMonth } from "../../lib/time"
import { countUsage } from "./collect"
import { NO_USAGE, type UsageCounts } from "./rules"

type Snapshot = typeof usageSnapshots.$inferSelect

/** Builds a snapshot as of now. */
export const buildSnapshot = (ctx: Ctx, storeId: string, counts: UsageCounts): Snapshot => ({
  storeId,
  period: yearMonth(ctx.now),
  counts,
  collectedAt: ctx.now,
})

/**
 * Upserts snapshots. Skips stores that were deleted in the meantime, and never replaces a newer snapshot.
 * @param snapshots with the `seq` of their stores; any number, because they are passed as one JSON parameter
 */
export function upsertSnapshots(snapshots: (Snapshot & { seq: number })[]): Write {
  const { period, counts, collectedAt } = usageSnapshots
  const rows = JSON.stringify(snapshots.map((row) => ({ ...row, collectedAt: row.collectedAt.getTime() })))
  const value = (name: keyof Snapshot | "seq") => sql`json_extract(fresh.value, ${literal(`$.${name}`)})`
  const excluded = ({ name }: { name: string }) => sql`excluded.${sql.identifier(name)}`
  return insertSelect(
    usageSnapshots,
    {
      storeId: sql`${stores.id}`,
      period: value("period"),
      counts: value("counts"),
      collectedAt: value("collectedAt"),
    },
    sql`from json_each(${rows}) as fresh join ${stores} on ${stores.seq} = ${value("seq")} where true`,
  ).onConflictDoUpdate({
    target: usageSnapshots.storeId,
    set: {
      period: excluded(period),
      counts: excluded(counts),
      collectedAt: excluded(collectedAt),
    },
    setWhere: sql`excluded.collected_at >= ${collectedAt}`,
  })
}

/** Stores per queue message. */
const BATCH_SIZE = 50

/** Starts the nightly count of all stores on the queue, unless one is in progress. */
export const startUsageRefresh = (ctx: Ctx): Promise<void> => enqueueJob(ctx, { job: "usage", after: 0 })

/**
 * Counts the next batch of stores. If a database cannot be queried, its stores keep their previous snapshots. The step
 * is idempotent.
 * @param after the `seq` of the last counted store
 * @returns the next step; null when no store is left
 */
export async function refreshNextStores(ctx: Ctx, after: number): Promise<Job | null> {
  const last = await countStores(ctx, after)
  return last === null ? null : { job: "usage", after: last }
}

/** @returns the `seq` of the last counted store; null when no store is left */
async function countStores(ctx: Ctx, after: number): Promise<number | null> {
  const batch = await ctx.db
    .select({ seq: stores.seq, id: stores.id, database: stores.database })
    .from(stores)
    .where(and(gt(stores.seq, after), isNotNull(stores.provisionedAt)))
    .orderBy(asc(stores.seq))
    .limit(BATCH_SIZE)
  const byDatabase = Map.groupBy(batch, (store) => store.database)
  const snapshots = await Promise.all(
    // lint: each site database
    [...byDatabase].map(async ([database, members]) => {
      if (!database) return []
      try {
        const ids = members.map((store) => store.id)
        const counts = await countUsage(ctx, database, ids)
        return members.map(({ seq, id }) => ({ seq, ...buildSnapshot(ctx, id, counts.get(id) ?? NO_USAGE) }))
      } catch (cause) {
        ctx.log.error("usage could not be counted", cause, { database })
        return []
      }
    }),
  )
  const rows = snapshots.flat()
  if (rows.length) await writeUnaudited(ctx, "statistics", [upsertSnapshots(rows)])
  const last = batch.at(-1)
  return last && batch.length === BATCH_SIZE ? last.seq : null
}
