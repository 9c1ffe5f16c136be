// Records the nightly runs, and reads whether they work: for the metrics and for the system page.
import { and, asc, desc, eq, gte, isNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { batch } from "../../db/client"
import { backupRuns, storeBackups } from "../../db/schema/central/backups"
import { insert, update } from "../../db/write"
import { SECOND } from "../../lib/time"
import { ulidFloor } from "../../lib/ulid"

const LATEST_RUN = 1

/** Records the start of a nightly run. */
export async function recordRunStart({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  const started = { startedAt: now, unchecked: 0 }
  await writeUnaudited({ db }, "statistics", [
    insert(backupRuns)
      .values({ id: LATEST_RUN, firstStartedAt: now, ...started })
      .onConflictDoUpdate({ target: backupRuns.id, set: started }),
  ])
}

/**
 * Records a step of a nightly run, if there is something to record.
 * @param unchecked stores that the step could not check
 * @param isLast whether the run has checked every store
 */
export async function recordRunStep(
  { db, now }: Pick<Ctx, "db" | "now">,
  { unchecked, isLast }: { unchecked: number; isLast: boolean },
): Promise<void> {
  if (!unchecked && !isLast) return
  const values = { unchecked: sql`${backupRuns.unchecked} + ${unchecked}`, ...(isLast && { finishedAt: now }) }
  await writeUnaudited({ db }, "statistics", [update(backupRuns).set(values).where(eq(backupRuns.id, LATEST_RUN))])
}

/** Failed stores that are listed and counted. */
const MAX_FAILED = 20

/** Backups of a run that are counted: more would take too long for a page. */
const MAX_COUNTED = 5_000

const selectRun = ({ db }: Pick<Ctx, "db">) => db.select().from(backupRuns).where(eq(backupRuns.id, LATEST_RUN))

/** Selects the stores whose latest backup failed, latest first. */
const selectFailed = ({ db }: Pick<Ctx, "db">) =>
  db
    .select({ store: storeBackups.storeId, error: storeBackups.error, at: storeBackups.createdAt })
    .from(storeBackups)
    .where(
      and(
        eq(storeBackups.phase, sql`'failed'`),
        isNull(storeBackups.storeDeletedAt),
        sql`not exists (select 1 from ${storeBackups} "newer" where "newer"."store_seq" = ${storeBackups.storeSeq}
          and "newer"."id" > ${storeBackups.id} and "newer"."phase" in ('done', 'failed'))`,
      ),
    )
    .orderBy(desc(storeBackups.id))
    .limit(MAX_FAILED)

/** Whether the nightly backups work. */
export interface BackupHealth {
  /** Seconds since a nightly run finished; null if there was no run yet, or backups are off. */
  ageSeconds: number | null
  /** Stores whose latest backup failed, and those that the last run could not check. */
  failed: number
}

/** Reads whether the nightly backups work, in one round trip. */
export async function readBackupHealth(ctx: Ctx): Promise<BackupHealth> {
  const [[run], failed] = await batch(ctx.db, [selectRun(ctx), selectFailed(ctx)])
  const isOff = ctx.settings.TENANCY_BACKUP_DAYS === 0
  const since = run && (run.finishedAt ?? run.firstStartedAt)
  return {
    ageSeconds: isOff || !since ? null : Math.round((ctx.now.getTime() - since.getTime()) / SECOND),
    failed: failed.length + (run?.unchecked ?? 0),
  }
}

/** The state of the backups for the system page. */
export interface BackupOverview {
  /** The latest nightly run; null before the first. */
  run: { startedAt: Date; finishedAt: Date | null; unchecked: number } | null
  /** Backups since the run started: completed and running ones, and the bytes of the completed ones. */
  saved: number
  running: number
  bytes: number
  /** Stores whose latest backup failed. */
  failed: { store: string; error: string | null; at: Date }[]
  oldestAt: Date | null
  newestAt: Date | null
}

/** Reads what the system page shows of the backups, in two round trips. */
export async function readBackupOverview(ctx: Ctx): Promise<BackupOverview> {
  const completed = (order: typeof asc) =>
    ctx.db
      .select({ at: storeBackups.createdAt })
      .from(storeBackups)
      .where(eq(storeBackups.phase, "done"))
      .orderBy(order(storeBackups.id))
      .limit(1)
  const [[run], failed, [oldest], [newest]] = await batch(ctx.db, [
    selectRun(ctx),
    selectFailed(ctx),
    completed(asc),
    completed(desc),
  ])
  const counts = run && (await countSince(ctx, run.startedAt))
  return {
    run: run ? { ...run, finishedAt: run.finishedAt && run.finishedAt >= run.startedAt ? run.finishedAt : null } : null,
    saved: counts?.saved ?? 0,
    running: counts?.running ?? 0,
    bytes: counts?.bytes ?? 0,
    failed,
    oldestAt: oldest?.at ?? null,
    newestAt: newest?.at ?? null,
  }
}

async function countSince(ctx: Ctx, startedAt: Date) {
  const recent = ctx.db
    .select({ phase: storeBackups.phase, bytes: storeBackups.bytes })
    .from(storeBackups)
    .where(gte(storeBackups.id, ulidFloor(startedAt.getTime())))
    .limit(MAX_COUNTED)
    .as("recent")
  const [counts] = await ctx.db
    .select({
      saved: sql<number>`coalesce(sum(${recent.phase} = 'done'), 0)`,
      running: sql<number>`coalesce(sum(${recent.phase} in ('files', 'rows')), 0)`,
      bytes: sql<number>`coalesce(sum(case when ${recent.phase} = 'done' then ${recent.bytes} end), 0)`,
    })
    .from(recent)
  return counts
}
