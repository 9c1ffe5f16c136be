// Runs the scheduled jobs of each cron trigger. Jobs are independent: one that fails does not stop the others.

import { availableApps } from "../apps/registry"
import { enqueueDueAccountMails } from "../content/mails/outbox"
import { enqueueMediaSweeps } from "../content/media/sweep"
import { enqueueDueNotifications } from "../content/notifications/deliver"
import { recordWriteToAnySite } from "../core/cache/site-writes"
import type { Ctx } from "../core/context"
import { createContext, createOutboundSemaphore } from "../core/context"
import { Refusal } from "../core/http/refusal"
import { describeError } from "../core/log"
import { countIfTransient, flushFaults } from "../core/metrics/faults"
import { deleteExpiredDeadLetters } from "../core/queue/dead-letters"
import { forEachItem } from "../core/queue/for-each-item"
import { enqueueJob, resumeStalledJobs } from "../core/queue/leased-jobs"
import { resumeRouting } from "../core/write/event-router"
import { deleteExpiredResponses } from "../core/write/idempotency"
import { enqueueAuditOutboxes } from "../core/write/site-commit"
import type { Bindings } from "../env"
import { currentMs } from "../lib/clock"
import { DAY, HOUR, MINUTE, SECOND } from "../lib/time"
import { sendLicenseNotices } from "../license/notices"
import { deleteExpiredRejections } from "../license/rejections/service"
import { deleteExpiredMails, enqueueDueMails } from "../mails/outbox"
import { evaluateAlerts } from "../platform/alerts/service"
import { sendAlertWebhooks } from "../platform/alerts/webhook"
import { startNightlyBackups } from "../platform/backups/nightly"
import { listOverdueRestores } from "../platform/backups/restore"
import { listOverdueBackups } from "../platform/backups/service"
import { type CronRun, listRuns, recordRuns } from "../platform/cron/service"
import { runDomainMaintenance } from "../platform/domains/verify"
import type { ScheduleState } from "../platform/metrics/measure"
import { recordMetrics } from "../platform/metrics/service"
import { recordSystemMetrics } from "../platform/metrics/system"
import { pruneNetworks } from "../platform/operators/networks"
import { sendOrderDigest } from "../platform/orders/digest"
import { processCancellations } from "../platform/payments/cancel"
import { deleteExpiredMessages } from "../platform/payments/receive"
import { reconcileSubscriptions } from "../platform/payments/reconcile"
import { listOverdueMigrations } from "../platform/site-migration/service"
import { listOverdueStores } from "../platform/stores/provision"
import { listOverduePurges } from "../platform/stores/remove"
import { startBillingRun } from "../platform/subscriptions/clock"
import { endOverdueSupportAccesses } from "../platform/support/service"
import { startUsageRefresh } from "../platform/usage/snapshots"
import { listOverdueEndpointPurges } from "../webhooks/endpoints/purge"
import { resumeRecoveries } from "../webhooks/recovery/service"
import { runCronSweep } from "../webhooks/sweep/sweep"

type ScheduledJob = (ctx: Ctx) => Promise<unknown>

/** Items of lost work that a job re-enqueues per run. */
const BATCH_SIZE = 20

// Jobs that may take long, or that visit every site database, only enqueue messages: the queue runs each in its own
// invocation.

const provisionOverdueStores: ScheduledJob = async (ctx) =>
  forEachItem(
    ctx,
    "store-provisioning",
    await listOverdueStores(ctx, BATCH_SIZE),
    ({ id, seq }) => enqueueJob(ctx, { job: "provision", store: id, seq }),
    ({ id }) => id,
  )

const purgeOverdueStores: ScheduledJob = async (ctx) =>
  forEachItem(
    ctx,
    "store-purges",
    await listOverduePurges(ctx, BATCH_SIZE),
    ({ store, seq }) => enqueueJob(ctx, { job: "purge", store, seq: seq ?? undefined }),
    ({ store }) => store,
  )

const purgeDeletedEndpoints: ScheduledJob = async (ctx) =>
  forEachItem(ctx, "endpoint-purges", await listOverdueEndpointPurges(ctx, BATCH_SIZE), (endpoint) =>
    enqueueJob(ctx, { job: "endpoint", endpoint }),
  )

const continueSiteMigrations: ScheduledJob = async (ctx) =>
  forEachItem(
    ctx,
    "site-migrations",
    await listOverdueMigrations(ctx, BATCH_SIZE),
    ({ store, seq }) => enqueueJob(ctx, { job: "move", store, seq }),
    ({ store }) => store,
  )

const runAppsHourly: ScheduledJob = async (ctx) =>
  forEachItem(
    ctx,
    "app-hourly",
    availableApps
      .filter(({ hourly }) => hourly)
      .flatMap(({ slug }) => ctx.settings.SITE_DATABASES.map((database) => ({ app: slug, database }))),
    (item) => enqueueJob(ctx, { job: "app_hourly", ...item }),
    ({ app, database }) => `${app} ${database}`,
  )

const continueBackups: ScheduledJob = async (ctx) => {
  const backups = (await listOverdueBackups(ctx, BATCH_SIZE)).map((row) => ({ job: "backup" as const, ...row }))
  const restores = (await listOverdueRestores(ctx, BATCH_SIZE)).map((row) => ({ job: "restore" as const, ...row }))
  return forEachItem(
    ctx,
    "backups",
    [...backups, ...restores],
    (message) => enqueueJob(ctx, message),
    ({ store }) => store,
  )
}

/** Records the metrics, evaluates the alerts on them, and sends the alerts' webhook requests. */
async function monitorSystem(ctx: Ctx): Promise<void> {
  const { metrics } = await recordSystemMetrics(ctx, async () => getScheduleState(await listRuns(ctx), ctx.now))
  await evaluateAlerts(ctx, metrics)
  await sendAlertWebhooks(ctx)
}

/**
 * The jobs of each cron trigger in wrangler.toml. A job's name is its key in `cron_runs`; rows of names that are no
 * longer listed here are ignored.
 */
const SCHEDULES = {
  "* * * * *": {
    "event-routing": resumeRouting,
    "webhook-sweep": runCronSweep,
    "webhook-recoveries": resumeRecoveries,
    "stalled-jobs": resumeStalledJobs,
    "store-provisioning": provisionOverdueStores,
    "store-purges": purgeOverdueStores,
    "endpoint-purges": purgeDeletedEndpoints,
    "site-migrations": continueSiteMigrations,
    "backup-continuation": continueBackups,
    notifications: enqueueDueNotifications,
    "media-cleanup": enqueueMediaSweeps,
    "license-notices": sendLicenseNotices,
    "mail-outbox": (ctx) => Promise.all([enqueueDueMails(ctx), enqueueDueAccountMails(ctx)]),
    "support-access-expiry": endOverdueSupportAccesses,
    "card-cancellations": processCancellations,
    "idempotency-key-retention": deleteExpiredResponses,
    "system-metrics": monitorSystem,
  },
  "7 * * * *": {
    "billing-clock": startBillingRun,
    "domain-maintenance": runDomainMaintenance,
    "audit-forwarding": enqueueAuditOutboxes,
    "app-hourly": runAppsHourly,
  },
  "30 2 * * *": {
    "order-digest": sendOrderDigest,
    "daily-metrics": recordMetrics,
    "subscription-reconciliation": reconcileSubscriptions,
    "usage-snapshots": startUsageRefresh,
    "nightly-backups": startNightlyBackups,
    "dead-letter-retention": deleteExpiredDeadLetters,
    "mail-retention": (ctx) => Promise.all([deleteExpiredMails(ctx), pruneNetworks(ctx)]),
    "payment-message-retention": deleteExpiredMessages,
    "license-rejection-retention": deleteExpiredRejections,
  },
} as const satisfies Record<string, Record<string, ScheduledJob>>

type NamesOf<Jobs> = Jobs extends unknown ? keyof Jobs : never

type Schedule = keyof typeof SCHEDULES

export type ScheduledJobName = NamesOf<(typeof SCHEDULES)[Schedule]>

const JOBS_BY_SCHEDULE: Readonly<Record<string, Readonly<Record<string, ScheduledJob>>>> = SCHEDULES

/** All scheduled jobs, ordered by schedule. */
export const SCHEDULED_JOBS: readonly { name: string; schedule: Schedule }[] = (
  Object.keys(SCHEDULES) as Schedule[]
).flatMap((schedule) => Object.keys(SCHEDULES[schedule]).map((name) => ({ name, schedule })))

/** Milliseconds since its last run after which a job of a schedule is overdue. */
const OVERDUE_AFTER: Record<Schedule, number> = {
  "* * * * *": 5 * MINUTE,
  "7 * * * *": 2 * HOUR,
  "30 2 * * *": 26 * HOUR,
}

/** Lists the jobs whose last run failed or that are overdue; a job that never ran is neither. */
export const listOverdueJobs = (runs: readonly CronRun[], now: Date): string[] =>
  SCHEDULED_JOBS.flatMap(({ name, schedule }) => {
    const run = runs.find(({ part }) => part === name)
    if (!run) return []
    const isLate = now.getTime() - run.startedAt.getTime() > OVERDUE_AFTER[schedule]
    return run.error !== null || isLate ? [name] : []
  })

/** Milliseconds between two runs of a schedule. */
const INTERVALS: Record<Schedule, number> = { "* * * * *": MINUTE, "7 * * * *": HOUR, "30 2 * * *": DAY }

/** Computes by how much the most overdue job is late, and how many jobs failed; a job that never ran is neither. */
export function getScheduleState(runs: readonly CronRun[], now: Date): ScheduleState {
  const latest = SCHEDULED_JOBS.flatMap(({ name, schedule }) => {
    const run = runs.find(({ part }) => part === name)
    return run ? [{ run, interval: INTERVALS[schedule] }] : []
  })
  const lateness = latest.map(({ run, interval }) => now.getTime() - run.startedAt.getTime() - interval)
  return {
    lateSeconds: Math.round(Math.max(0, ...lateness) / SECOND),
    failing: latest.filter(({ run }) => run.error !== null).length,
  }
}

/** Computes the next run of a schedule that runs every minute, at a minute of every hour, or at a time of every day. */
export function getNextRun(schedule: string, now: Date): Date {
  const [minute = "*", hour = "*"] = schedule.split(" ")
  const next = new Date(now)
  next.setUTCSeconds(0, 0)
  do next.setUTCMinutes(next.getUTCMinutes() + 1)
  while (
    (minute !== "*" && next.getUTCMinutes() !== Number(minute)) ||
    (hour !== "*" && next.getUTCHours() !== Number(hour))
  )
  return next
}

/**
 * Runs one job now, on an operator's request, and records the run.
 * @throws Refusal `not_found`
 */
export async function runScheduledJob(ctx: Ctx, name: string): Promise<void> {
  const job = Object.values(JOBS_BY_SCHEDULE)
    .map((jobs) => jobs[name])
    .find(Boolean)
  if (!job) throw new Refusal("not_found")
  await recordRuns(ctx, [await runTimed(ctx, name, job)])
}

/** Runs a job and returns its duration and error; never throws. */
async function runTimed(ctx: Ctx, name: string, job: ScheduledJob): Promise<CronRun> {
  const started = currentMs()
  let error: string | null = null
  try {
    await job(ctx)
  } catch (cause) {
    countIfTransient(cause)
    ctx.log.error("scheduled job failed", cause, { job: name })
    error = describeError(cause).error
  }
  return { part: name, startedAt: new Date(started), durationMs: currentMs() - started, error }
}

/** Runs the jobs of one cron trigger in parallel, each with its own context and request id, and records the runs. */
export async function handleCron(
  controller: ScheduledController,
  env: Bindings,
  execution: ExecutionContext,
): Promise<void> {
  const overrides = { now: new Date(controller.scheduledTime), outbound: createOutboundSemaphore() }
  const newContext = () => createContext(env, (work) => execution.waitUntil(work), overrides)
  const jobs = Object.entries(JOBS_BY_SCHEDULE[controller.cron] ?? {})
  const runs = await Promise.all(jobs.map(([name, job]) => runTimed(newContext(), name, job)))
  await recordRuns(newContext(), runs)
  recordWriteToAnySite()
  const { log, inBackground } = newContext()
  flushFaults(env, log, inBackground)
}
