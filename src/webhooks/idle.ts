// Detects that no delivery is due, so that the sweep reads nothing in an idle minute.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { LATEST_SLOT } from "../core/metrics/slots"
import { listDeliveryDatabases } from "../core/write/delivery-databases"
import { literal } from "../db/literal"
import { isolateState } from "../lib/isolate-state"
import { addMs, MINUTE } from "../lib/time"

/** Deliveries of events within this time may be pending. */
const RECENT_MS = 15 * MINUTE

/** Older metrics say nothing: the cron did not run, so deliveries of older events may be pending, too. */
const MAX_METRICS_AGE_MS = 5 * MINUTE

/**
 * Every tenth minute counts as busy. It finds what the reads miss: a delivery that a Worker created for an old event,
 * in a recovery, and then died.
 */
const FULL_CHECK_MINUTES = 10

/**
 * Whether no delivery failed, none was created recently, and none was due at the last measurement. Reads at most three
 * rows of each delivery database, once for all jobs of a cron run.
 */
export function isIdle(ctx: Ctx): Promise<boolean> {
  const result = results.current.get(ctx.now) ?? readIdle(ctx)
  results.current.set(ctx.now, result)
  return result
}

/** The results by the time of the run, which its jobs share. */
const results = isolateState(() => new WeakMap<Date, Promise<boolean>>())

async function readIdle(ctx: Ctx): Promise<boolean> {
  if (Math.floor(ctx.now.getTime() / MINUTE) % FULL_CHECK_MINUTES === 0) return false
  // The first condition has to match that of the partial index literally.
  const failed = sql`select 1 from webhook_deliveries where status in ('failed', 'exhausted') and status = 'failed' limit 1`
  const latest = sql`select created_at from webhook_deliveries order by id desc limit 1`
  const measured = addMs(ctx.now, -MAX_METRICS_AGE_MS).getTime()
  const due = sql`select data ->> '$.dueDeliveries' from system_metrics where id = ${LATEST_SLOT} and at >= ${measured}`
  const recent = addMs(ctx.now, -RECENT_MS).getTime()
  const isBusy = sql`exists (${failed}) or coalesce((${latest}), 0) > ${recent}`
  const wasDue = sql`coalesce((${due}), 1) > 0`
  const databases = listDeliveryDatabases(ctx)
  const separate = databases.filter(({ isCentral }) => !isCentral)
  const ask = async ({ db }: Pick<Ctx, "db">, condition: SQL) => {
    const [row] = await db.select({ isBusy: sql<number>`${condition}` }).from(sql`(select ${literal(1)})`)
    return Boolean(row?.isBusy)
  }
  const busy = await Promise.all([
    ask(ctx, separate.length < databases.length ? sql`${isBusy} or ${wasDue}` : wasDue),
    // One that does not respond is not known to be idle.
    ...separate.map((database) => ask(database, isBusy).catch(() => true)),
  ])
  return !busy.includes(true)
}
