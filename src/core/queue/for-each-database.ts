// Runs work for every site database so that one that fails or hangs does not stop the others.
import { withDeadline } from "../../lib/deadline"
import { Semaphore } from "../../lib/semaphore"
import { MINUTE, SECOND } from "../../lib/time"
import type { Ctx } from "../context"
import { runItem } from "./for-each-item"

/** Databases processed in parallel; an invocation has six connections. */
const MAX_CONNECTIONS = 4

/** Time limit of one database. */
const TIMEOUT_MS = 10 * SECOND

/**
 * Runs work for each site database, until the run is out of time. Every minute begins with another database, so that
 * none is left out by each run.
 * @param job the name of the work in the log
 */
export async function forEachDatabase(
  ctx: Ctx,
  job: string,
  work: (database: string) => Promise<unknown>,
): Promise<void> {
  const databases = ctx.settings.SITE_DATABASES
  const first = Math.floor(ctx.now.getTime() / MINUTE) % databases.length
  const connections = new Semaphore(MAX_CONNECTIONS)
  await Promise.all(
    [...databases.slice(first), ...databases.slice(0, first)].map((database) =>
      connections.with(async () => {
        if (ctx.run.isOutOfTime()) return
        await runItem(ctx, job, () => withDeadline(TIMEOUT_MS, work(database)), database)
      }),
    ),
  )
}
