// Records the last run of each scheduled job, and lists them for the system page, the metrics and the alerts.
import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { retryTransient } from "../../core/write/retry"
import { cronRuns, type StoredRun } from "../../db/schema/central/cron"
import { insert } from "../../db/write"

/** The last run of a scheduled job. */
export interface CronRun {
  /** The name of the job. */
  job: string
  startedAt: Date
  durationMs: number
  /** The error; null after a successful run. */
  error: string | null
  /** When the run stopped although work was left, because its time budget was used up; null if it did not. */
  stoppedAt: Date | null
  /** Items that the run processed, and those of them that failed. */
  items: number
  failedItems: number
}

/** The row of all jobs. */
const ALL_JOBS = "*"

/** Error messages are truncated to this many characters. */
const MAX_ERROR_LENGTH = 500

/** A JSON merge patch removes the fields that are null, so a run leaves nothing of the job's previous one. */
const toStored = (run: CronRun): StoredRun => ({
  startedAt: run.startedAt.getTime(),
  durationMs: run.durationMs,
  error: run.error?.slice(0, MAX_ERROR_LENGTH) ?? null,
  stoppedAt: run.stoppedAt?.getTime() ?? null,
  items: run.items || null,
  failedItems: run.failedItems || null,
})

/** Records runs. Other jobs keep theirs, also those that another invocation records at the same time. */
export async function recordRuns(ctx: Ctx, recorded: readonly CronRun[]): Promise<void> {
  if (!recorded.length) return
  const stored = JSON.stringify(Object.fromEntries(recorded.map((run) => [run.job, toStored(run)])))
  const latest = {
    startedAt: new Date(Math.max(...recorded.map(({ startedAt }) => startedAt.getTime()))),
    durationMs: Math.max(...recorded.map(({ durationMs }) => durationMs)),
  }
  await retryTransient(() =>
    writeUnaudited(ctx, "statistics", [
      insert(cronRuns)
        .values({ part: ALL_JOBS, ...latest, runs: sql`json_patch('{}', ${stored})` })
        .onConflictDoUpdate({
          target: cronRuns.part,
          set: { ...latest, runs: sql`json_patch(coalesce(${cronRuns.runs}, '{}'), ${stored})` },
        }),
    ]),
  )
}

/** Selects the row of the last runs, for `toRuns`. */
export const selectRuns = (ctx: Pick<Ctx, "db">) => ctx.db.select().from(cronRuns).where(eq(cronRuns.part, ALL_JOBS))

/** Converts the selected row; no runs before the first one. */
export const toRuns = ([row]: readonly (typeof cronRuns.$inferSelect)[]): CronRun[] =>
  Object.entries(row?.runs ?? {}).map(([job, run]) => ({
    job,
    startedAt: new Date(run.startedAt),
    durationMs: run.durationMs,
    error: run.error ?? null,
    stoppedAt: run.stoppedAt ? new Date(run.stoppedAt) : null,
    items: run.items ?? 0,
    failedItems: run.failedItems ?? 0,
  }))

/** Lists the last run of each job. */
export const listRuns = async (ctx: Pick<Ctx, "db">): Promise<CronRun[]> => toRuns(await selectRuns(ctx))
