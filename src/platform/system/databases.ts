// Checks every database: whether it answers, accepts writes and has space left.
import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { LATEST_SLOT } from "../../core/metrics/slots"
import { writeUnaudited } from "../../core/write/commit"
import { retryTransient } from "../../core/write/retry"
import { siteDatabase } from "../../db/client"
import { isDatabaseFull } from "../../db/errors"
import { listDatabases, probeDatabase } from "../../db/probe"
import { type SystemDetail, systemMetrics } from "../../db/schema/central/system-metrics"
import { siteCounters } from "../../db/schema/sites/counters"
import { inSite } from "../../db/site-scope"
import { withDeadline } from "../../lib/deadline"
import { Semaphore } from "../../lib/semaphore"
import { MINUTE, SECOND } from "../../lib/time"

/** Size limit of a D1 database (https://developers.cloudflare.com/d1/platform/limits/). */
export const MAX_DATABASE_BYTES = 10_000_000_000

/** A database above this size fires an alert, and gets new stores only if there is no other. */
export const NEARLY_FULL_BYTES = 0.7 * MAX_DATABASE_BYTES

/** Share of the limit from which a database counts as full: an update in place may still work, an insert does not. */
const FULL_SHARE = 0.995

/** Databases checked in parallel; an invocation has six connections. */
const MAX_CONNECTIONS = 4

const CHECK_TIMEOUT_MS = 5 * SECOND

/**
 * Databases that a run writes to. If there are more, they take turns, so that an idle platform does not write more with
 * every database.
 */
const MAX_WRITE_CHECKS = 2

/** No store's id: a host name has no underscore. */
const CHECKED_SITE = "_write_check"

/** A database and its state. */
export type DatabaseStatus = SystemDetail["databases"][number]

/**
 * Checks all databases. Up to two site databases get a write; the central one gets those of the metrics themselves, in
 * the same run.
 */
export async function checkDatabases(ctx: Ctx): Promise<DatabaseStatus[]> {
  const connections = new Semaphore(MAX_CONNECTIONS)
  const written = await chooseWriteChecks(ctx)
  return Promise.all(
    // lint: each database
    listDatabases(ctx.settings).map((name) => connections.with(() => checkDatabase(ctx, name, written.has(name)))),
  )
}

/** Chooses the databases that this run writes to: those whose turn it is, and those that were not ok. */
async function chooseWriteChecks(ctx: Ctx): Promise<ReadonlySet<string>> {
  const names = ctx.settings.SITE_DATABASES
  if (names.length <= MAX_WRITE_CHECKS) return new Set(names)
  const first = Math.floor(ctx.now.getTime() / MINUTE) * MAX_WRITE_CHECKS
  const [latest] = await ctx.db
    .select({ detail: systemMetrics.detail })
    .from(systemMetrics)
    .where(eq(systemMetrics.id, LATEST_SLOT))
  const failing = latest?.detail?.databases.filter(({ status }) => status !== "ok").map(({ name }) => name) ?? []
  const next = Array.from({ length: MAX_WRITE_CHECKS }, (_, index) => names[(first + index) % names.length] ?? "")
  return new Set([...next, ...failing.filter((name) => names.includes(name))])
}

async function checkDatabase(ctx: Ctx, name: string, withWrite: boolean): Promise<DatabaseStatus> {
  let bytes: number | null
  try {
    bytes = await withDeadline(CHECK_TIMEOUT_MS, probeDatabase(ctx.env, name))
  } catch (cause) {
    ctx.log.error("a database check failed", cause, { database: name })
    return { name, bytes: null, status: "unreachable" }
  }
  if (bytes !== null && bytes >= MAX_DATABASE_BYTES * FULL_SHARE) return { name, bytes, status: "full" }
  if (!withWrite) return { name, bytes, status: "ok" }
  try {
    await withDeadline(CHECK_TIMEOUT_MS, writeToSiteDatabase(ctx, name))
    return { name, bytes, status: "ok" }
  } catch (cause) {
    ctx.log.error("a database refused a write", cause, { database: name })
    return { name, bytes, status: isDatabaseFull(cause) ? "full" : "refuses_writes" }
  }
}

/** Writes a row that belongs to no store. Its values stay the same, but the database has to store them again. */
async function writeToSiteDatabase(ctx: Ctx, name: string): Promise<void> {
  const scope = inSite(CHECKED_SITE)
  const check = scope
    .insert(siteCounters)
    .values({ list: "write_checks", filter: "", total: 1 })
    .onConflictDoUpdate({
      target: [siteCounters.siteId, siteCounters.list, siteCounters.filter],
      set: { total: sql`excluded.total` },
    })
  const db = siteDatabase(ctx.env, name, CHECKED_SITE)
  // A single transient error does not mean that the database refuses writes.
  await retryTransient(() => writeUnaudited({ db }, "statistics", [check]))
}
