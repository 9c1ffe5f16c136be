// Records the latest run of each cron job, and lists them for the system page and the operator command.
import { asc } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { cronRuns } from "../../db/schema/central/cron"
import { insert } from "../../db/write"

export type CronRun = typeof cronRuns.$inferSelect

/** Error messages are truncated to this many characters. */
const MAX_ERROR_LENGTH = 500

/** Upserts the latest run of each job, in one round trip. */
export async function recordRuns(ctx: Ctx, runs: CronRun[]): Promise<void> {
  if (!runs.length) return
  const writes = runs.map(({ part, ...run }) => {
    const values = { ...run, error: run.error?.slice(0, MAX_ERROR_LENGTH) ?? null }
    return insert(cronRuns)
      .values({ part, ...values })
      .onConflictDoUpdate({ target: cronRuns.part, set: values })
  })
  await writeUnaudited(ctx, "statistics", writes)
}

/** Selects the latest run of each job. */
export const selectRuns = (ctx: Ctx) => ctx.db.select().from(cronRuns).orderBy(asc(cronRuns.part))

/** Lists the latest run of each job. */
export const listRuns = (ctx: Ctx): Promise<CronRun[]> => selectRuns(ctx)
