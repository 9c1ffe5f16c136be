// Backs up every store that has changed, once a night, and enqueues the deletion of expired backups.
import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { forEachItem } from "../../core/queue/for-each-item"
import { enqueueJob } from "../../core/queue/leased-jobs"
import type { Job } from "../../core/queue/messages"
import { commit, WriteConflict } from "../../core/write/commit"
import { storeBackups } from "../../db/schema/central/backups"
import { stores } from "../../db/schema/central/stores"
import { addMs, DAY } from "../../lib/time"
import { computeFingerprints } from "./fingerprint"
import { recordRunStart, recordRunStep } from "./health"
import { enqueueExpiredBackups } from "./prune"
import { buildBackupChange, enqueueBackup, newBackup } from "./service"

/** Stores per queue message. */
const BATCH_SIZE = 50

/** A store is backed up at least this often, because some changes do not change its fingerprint. */
const MAX_AGE_MS = 7 * DAY

/** Starts the nightly backups on the queue, unless a run is in progress. */
export const startNightlyBackups = (ctx: Ctx): Promise<void> => enqueueJob(ctx, { job: "backups", after: 0 })

/**
 * Starts the backups of the next stores that have changed. Idempotent: a store with
 * a running backup, or with one of its current state, is skipped.
 * @param after the `seq` of the last checked store
 * @returns the next step; null when no store is left
 */
export async function backUpNextStores(ctx: Ctx, after: number): Promise<Job | null> {
  if (after === 0) await enqueueExpiredBackups(ctx)
  if (ctx.settings.TENANCY_BACKUP_DAYS === 0) return null
  if (after === 0) await recordRunStart(ctx)
  const batch = await listNextStores(ctx, after)
  const byDatabase = Map.groupBy(batch, ({ database }) => database ?? "")
  const skipped = await forEachItem(ctx, "nightly-backups", [...byDatabase], ([database, members]) =>
    backUpChangedStores(ctx, database, members),
  )
  const unchecked = skipped.reduce((sum, [, members]) => sum + members.length, 0)
  const last = batch.length === BATCH_SIZE ? batch.at(-1) : undefined
  await recordRunStep(ctx, { unchecked, isLast: last === undefined })
  return last ? { job: "backups", after: last.seq } : null
}

type CheckedStore = Awaited<ReturnType<typeof listNextStores>>[number]

const lastBackup = (column: typeof storeBackups.createdAt | typeof storeBackups.fingerprint) =>
  sql`(select ${column} from ${storeBackups} where ${and(eq(storeBackups.storeSeq, stores.seq), eq(storeBackups.phase, "done"))}
    order by ${storeBackups.id} desc limit 1)`

const listNextStores = (ctx: Ctx, after: number) =>
  ctx.db
    .select({
      seq: stores.seq,
      id: stores.id,
      database: stores.database,
      fingerprint: sql<string | null>`${lastBackup(storeBackups.fingerprint)}`,
      backedUpAt: sql<number | null>`${lastBackup(storeBackups.createdAt)}`,
    })
    .from(stores)
    .where(and(gt(stores.seq, after), isNotNull(stores.provisionedAt), isNotNull(stores.database)))
    .orderBy(asc(stores.seq))
    .limit(BATCH_SIZE)

async function backUpChangedStores(ctx: Ctx, database: string, members: readonly CheckedStore[]): Promise<void> {
  const fingerprints = await computeFingerprints(
    ctx,
    database,
    members.map(({ id }) => id),
  )
  // lint: each backup starts in its own transaction, so that a busy store stops no other
  for (const store of members) {
    const isOld = (store.backedUpAt ?? 0) <= addMs(ctx.now, -MAX_AGE_MS).getTime()
    if (!isOld && store.fingerprint === fingerprints.get(store.id)) continue
    const backup = newBackup(ctx, store)
    try {
      await commit(ctx, buildBackupChange(backup, { auditSkipped: "progress" }))
      enqueueBackup(ctx, backup)
    } catch (cause) {
      // The store is being backed up or migrated, or was deleted.
      if (!(cause instanceof WriteConflict)) throw cause
    }
  }
}
