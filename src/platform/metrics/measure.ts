// Measures how the platform operates: latency, backlogs, scheduled jobs, databases and mails. Every part is measured on
// its own, so that one that fails does not hide the others.
import { and, count, eq, gt, gte } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { recentSlotsOf } from "../../core/metrics/slots"
import { readQueueBacklogs } from "../../core/queue/send"
import { readOldestWaiting } from "../../core/write/event-router"
import { batch, siteDatabase } from "../../db/client"
import { deadLetters } from "../../db/schema/central/dead-letters"
import { mails } from "../../db/schema/central/mails"
import { type SystemDetail, type SystemMetrics, systemMetrics } from "../../db/schema/central/system-metrics"
import { accountMails } from "../../db/schema/sites/account-mails"
import { acrossSites } from "../../db/site-scope"
import { withDeadline } from "../../lib/deadline"
import { addMs, HOUR, SECOND } from "../../lib/time"
import { isIdle } from "../../webhooks/idle"
import { isAtReceiver, listLateEndpoints, readLatencies } from "../../webhooks/lateness"
import { readBackupHealth } from "../backups/health"
import { checkDatabases } from "../system/databases"

/** Time limit of each part. */
const PART_TIMEOUT_MS = 15 * SECOND

/** Refused mails are counted up to this. */
const MAX_COUNTED_MAILS = 100

/** The state of the scheduled jobs, as jobs/cron.ts computes it. */
export interface ScheduleState {
  lateSeconds: number
  failing: number
}

/** Measures everything. A part that fails or takes too long is null, and logged. */
export async function measureSystem(
  ctx: Ctx,
  readSchedule: () => Promise<ScheduleState>,
): Promise<{ metrics: SystemMetrics; detail: SystemDetail }> {
  const part = async <Value>(name: string, work: Promise<Value>): Promise<Value | null> => {
    try {
      return await withDeadline(PART_TIMEOUT_MS, work)
    } catch (cause) {
      ctx.log.error("measuring metrics failed", cause, { item: name })
      return null
    }
  }
  const isQuiet = await part("idle", isIdle(ctx))
  const [latencies, late, unrouted, schedule, counts, refusedAccountMails, backups, databases, backlogs] =
    await Promise.all([
      part("latency", isQuiet ? Promise.resolve([]) : readLatencies(ctx)),
      part("lateness", isQuiet ? Promise.resolve([]) : listLateEndpoints(ctx)),
      part("routing", readOldestWaiting(ctx)),
      part("schedule", readSchedule()),
      part("counts", readCounts(ctx)),
      part("account mails", countRefusedAccountMails(ctx)),
      part("backups", readBackupHealth(ctx)),
      part("databases", checkDatabases(ctx)),
      part("queues", readQueueBacklogs(ctx)),
    ])
  const now = ctx.now.getTime()
  const toAge = (since: number) => Math.max(0, Math.round((now - since) / SECOND))
  const queues = (backlogs ?? []).map(({ name, messages, oldestAt }) => ({
    name,
    backlog: messages,
    oldestSeconds: oldestAt && toAge(oldestAt.getTime()),
  }))
  const ours = late?.filter((endpoint) => !isAtReceiver(ctx, endpoint))
  const metrics: SystemMetrics = {
    latencyP50Ms: latencies && percentileOf(latencies, 0.5),
    latencyP95Ms: latencies && percentileOf(latencies, 0.95),
    oldestDueSeconds: ours
      ? Math.max(unrouted ? toAge(unrouted.getTime()) : 0, ...ours.map(({ since }) => toAge(since)))
      : null,
    dueDeliveries: late?.reduce((sum, { deliveries }) => sum + deliveries, 0) ?? null,
    queueBacklog: sumOf(queues.map(({ backlog }) => backlog)),
    queueOldestSeconds: maxOf(queues.map(({ backlog, oldestSeconds }) => (backlog === 0 ? 0 : oldestSeconds))),
    cronLateSeconds: schedule?.lateSeconds ?? null,
    jobsFailing: schedule?.failing ?? null,
    deadLetters: counts?.deadLetters ?? null,
    databaseBytes: maxOf((databases ?? []).map(({ bytes }) => bytes)),
    databasesDown: databases?.filter(({ status }) => status !== "ok").length ?? null,
    mailsRefused: sumOf([counts?.mailsRefused ?? null, refusedAccountMails]),
    faults: counts?.faults ?? null,
    backupAgeSeconds: backups?.ageSeconds ?? null,
    backupsFailed: backups?.failed ?? null,
  }
  return { metrics, detail: { databases: databases ?? [], queues } }
}

/** Counts the dead letters of the last hour, the mails that were refused and are due again, and recent errors. */
async function readCounts(ctx: Ctx): Promise<{ deadLetters: number; mailsRefused: number; faults: number }> {
  const refused = ctx.db
    .select({ id: mails.id })
    .from(mails)
    // `is not null` would read the whole table, and not the index of due mails.
    .where(and(gte(mails.dueAt, new Date(0)), gte(mails.attempts, 2)))
    .limit(MAX_COUNTED_MAILS)
    .as("refused")
  const recent = recentSlotsOf(ctx.now)
  const selectSlot = (id: number) =>
    ctx.db
      .select({ id: systemMetrics.id, at: systemMetrics.at, faults: systemMetrics.faults })
      .from(systemMetrics)
      .where(eq(systemMetrics.id, id))
  const [[letters], [mail], present, previous] = await batch(ctx.db, [
    ctx.db
      .select({ total: count() })
      .from(deadLetters)
      .where(gt(deadLetters.createdAt, addMs(ctx.now, -HOUR))),
    ctx.db.select({ total: count() }).from(refused),
    selectSlot(recent[0].id),
    selectSlot(recent[1].id),
  ])
  const faults = [...present, ...previous]
    .filter((slot) => recent.some(({ id, at }) => id === slot.id && at.getTime() === slot.at.getTime()))
    .flatMap((slot) => Object.values(slot.faults))
  return {
    deadLetters: letters?.total ?? 0,
    mailsRefused: mail?.total ?? 0,
    faults: faults.reduce((sum, one) => sum + one, 0),
  }
}

/** Counts the account mails of all sites that were refused and are due again. */
async function countRefusedAccountMails(ctx: Ctx): Promise<number> {
  const counts = await Promise.all(
    // lint: each site database
    ctx.settings.SITE_DATABASES.map(async (name) => {
      const db = siteDatabase(ctx.env, name, acrossSites("account_mails"))
      const [refused] = await db.select({ total: count() }).from(accountMails).where(gte(accountMails.attempts, 2))
      return refused?.total ?? 0
    }),
  )
  return counts.reduce((sum, one) => sum + one, 0)
}

/** @param sorted ascending */
const percentileOf = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null

const withoutNulls = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)

const sumOf = (values: readonly (number | null)[]): number | null => {
  const numbers = withoutNulls(values)
  return numbers.length ? numbers.reduce((sum, value) => sum + value, 0) : null
}

const maxOf = (values: readonly (number | null)[]): number | null => {
  const numbers = withoutNulls(values)
  return numbers.length ? Math.max(...numbers) : null
}
