// Usage snapshots: what a store used when it was last counted, kept centrally so that nobody has to count to show it.
import { and, asc, gt, isNotNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { enqueueJob, runJob } from "../../core/queue/leased-jobs"
import { writeUnaudited } from "../../core/write/commit"
import { stores, usageSnapshots } from "../../db/schema/central/stores"
import { insertSelect, type Write } from "../../db/write"
import { yearMonth } from "../../lib/time"
import { countSites } from "./collect"
import { type Counts, NOTHING } from "./rules"

type Snapshot = typeof usageSnapshots.$inferSelect

/** A store's usage, counted now. */
export const snapshot = (ctx: Ctx, storeId: string, counts: Counts): Snapshot => ({
  storeId,
  period: yearMonth(ctx.now),
  counts,
  collectedAt: ctx.now,
})

/**
 * The statement that keeps snapshots, each only while its very store is there, and never over a newer one.
 * @param fresh the snapshots with their stores' `seq`; any number, they travel as one parameter
 */
export function keepSnapshots(fresh: (Snapshot & { seq: number })[]): Write {
  const { period, counts, collectedAt } = usageSnapshots
  const rows = JSON.stringify(fresh.map((row) => ({ ...row, collectedAt: row.collectedAt.getTime() })))
  const value = (name: keyof Snapshot | "seq") => sql.raw(`json_extract(fresh.value, '$.${name}')`)
  const newer = ({ name }: { name: string }) => sql.raw(`excluded.${name}`)
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
      period: newer(period),
      counts: newer(counts),
      collectedAt: newer(collectedAt),
    },
    setWhere: sql`excluded.collected_at >= ${collectedAt}`,
  })
}

/** Stores that one step counts: few enough for a queue message, many enough for a night. */
const STEP = 50

/** Starts the nightly count of all stores, which goes on step by step on the queue, unless one is under way. */
export const startRefresh = (ctx: Ctx): Promise<void> => enqueueJob(ctx, { job: "usage", after: 0 })

/**
 * Counts the next stores and hands on to the step after them. A database that cannot be asked leaves its stores their old
 * snapshots; a step made twice counts twice and does no harm.
 * @param after the `seq` of the last store that was counted
 * @param lease the token of the job's lease
 */
export const refreshStep = (ctx: Ctx, after: number, lease?: string): Promise<void> =>
  runJob(ctx, { job: "usage", after, lease }, async () => {
    const last = await countStores(ctx, after)
    return last === null ? null : { job: "usage", after: last }
  })

/** @returns the `seq` of the last store that was counted; null when none is left */
async function countStores(ctx: Ctx, after: number): Promise<number | null> {
  const due = await ctx.db
    .select({ seq: stores.seq, id: stores.id, database: stores.database })
    .from(stores)
    .where(and(gt(stores.seq, after), isNotNull(stores.provisionedAt)))
    .orderBy(asc(stores.seq))
    .limit(STEP)
  const byDatabase = Map.groupBy(due, (store) => store.database)
  const counted = await Promise.all(
    [...byDatabase].map(async ([database, members]) => {
      if (!database) return []
      try {
        const ids = members.map((store) => store.id)
        const counts = await countSites(ctx, database, ids)
        return members.map(({ seq, id }) => ({ seq, ...snapshot(ctx, id, counts.get(id) ?? NOTHING) }))
      } catch (cause) {
        ctx.log.error("usage could not be counted", cause, { database })
        return []
      }
    }),
  )
  const fresh = counted.flat()
  if (fresh.length) await writeUnaudited(ctx, "a count, not a change", [keepSnapshots(fresh)])
  const last = due.at(-1)
  return last && due.length === STEP ? last.seq : null
}
