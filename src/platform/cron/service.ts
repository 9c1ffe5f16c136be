// How the parts of the cron ran: written down by the cron, read by whoever wonders.
import { asc } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { cronRuns } from "../../db/schema/central/cron"
import { insert } from "../../db/write"

export type CronRun = typeof cronRuns.$inferSelect

/** Characters of a fault's words that are kept. */
const MAX_ERROR = 500

/** Writes down how parts ran, each over its run before; in one round trip. */
export async function recordRuns(ctx: Ctx, runs: CronRun[]): Promise<void> {
  if (!runs.length) return
  const writes = runs.map(({ part, ...run }) => {
    const values = { ...run, error: run.error?.slice(0, MAX_ERROR) ?? null }
    return insert(cronRuns)
      .values({ part, ...values })
      .onConflictDoUpdate({ target: cronRuns.part, set: values })
  })
  await writeUnaudited(ctx, "how the cron ran", writes)
}

/** The statement that reads how each part ran last. */
export const selectRuns = (ctx: Ctx) => ctx.db.select().from(cronRuns).orderBy(asc(cronRuns.part))

/** How each part ran last. */
export const readRuns = (ctx: Ctx): Promise<CronRun[]> => selectRuns(ctx)
