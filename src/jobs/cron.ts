// Runs the scheduled jobs of each cron trigger. Jobs are independent: one that fails does not stop the others.

import { availableApps } from "../apps/registry"
import { enqueueDueAccountMails } from "../content/mails/outbox"
import { enqueueMediaSweeps } from "../content/media/sweep"
import { enqueueDueNotifications } from "../content/notifications/deliver"
import { deleteExpiredDrafts } from "../core/auth/form-drafts"
import { recordWriteToAnySite } from "../core/cache/site-writes"
import type { Ctx } from "../core/context"
import { createContext, createOutboundSemaphore } from "../core/context"
import { Refusal } from "../core/http/refusal"
import { JobRun } from "../core/job-run"
import { describeError } from "../core/log"
import { countIfTransient, flushTransientErrors } from "../core/metrics/transient-errors"
import { deleteExpiredDeadLetters } from "../core/queue/dead-letters"
import { forEachDatabase } from "../core/queue/for-each-database"
import { forEachItem } from "../core/queue/for-each-item"
import { enqueueJob, resumeStalledJobs } from "../core/queue/leased-jobs"
import { resumeRouting } from "../core/write/event-router"
import { deleteExpiredResponses } from "../core/write/idempotency"
import { enqueueAuditOutboxes } from "../core/write/site-commit"
import type { Bindings } from "../env"
import { currentMs } from "../lib/clock"
import { DeadlineExceeded, withDeadline } from "../lib/deadline"
import { DAY, HOUR, MINUTE, SECOND } from "../lib/time"
import { sendLicenseNotices } from "../license/notices"
import { deleteExpiredRejections } from "../license/rejections/service"
import { deleteExpiredMails, enqueueDueMails } from "../mails/outbox"
import { evaluateAlerts } from "../platform/alerts/service"
import { sendAlertWebhooks } from "../platform/alerts/webhook"
import { startArchiving } from "../platform/audit/archive"
import { startNightlyBackups } from "../platform/backups/nightly"
import { listOverdueRestores } from "../platform/backups/restore"
import { listOverdueBackups } from "../platform/backups/service"
import { type CronRun, listRuns, recordRuns } from "../platform/cron/service"
import { runDomainMaintenance } from "../platform/domains/verify"
import { deleteExpiredExports, listOverdueExports } from "../platform/exports/service"
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
import { startArchivingEvents } from "../webhooks/events/archive"
import { resumeRecoveries } from "../webhooks/recovery/service"
import { resumeRehomings } from "../webhooks/rehoming/service"
import { runCronSweep } from "../webhooks/sweep/sweep"

/** @param running the schedule whose trigger runs the job; null when an operator runs it */
type ScheduledJob = (ctx: Ctx, running: Schedule | null) => Promise<unknown>

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
  forEachDatabase(ctx, "app-hourly", async (database) => {
    // lint: each site database
    for (const { slug, hourly } of availableApps)
      if (hourly) await enqueueJob(ctx, { job: "app_hourly", app: slug, database })
  })

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

/** Runs hourly, because a query of every minute would exceed the rows that an idle minute may read. */
const maintainExports: ScheduledJob = async (ctx) => {
  await deleteExpiredExports(ctx)
  return forEachItem(
    ctx,
    "exports",
    await listOverdueExports(ctx, BATCH_SIZE),
    ({ store }) => enqueueJob(ctx, { job: "export", store }),
    ({ store }) => store,
  )
}

/** Records the metrics, evaluates the alerts on them, and sends the alerts' webhook requests. */
async function monitorSystem(ctx: Ctx, running: Schedule | null): Promise<void> {
  const { metrics } = await recordSystemMetrics(ctx, async () =>
    getScheduleState(await listRuns(ctx), ctx.now, running),
  )
  await evaluateAlerts(ctx, metrics)
  await sendAlertWebhooks(ctx)
}

const EVERY_MINUTE = "* * * * *"

/**
 * The jobs of each cron trigger in wrangler.toml. A job's name is its key in `cron_runs`; rows of names that are no
 * longer listed here are ignored.
 */
const SCHEDULES = {
  [EVERY_MINUTE]: {
    "event-routing": resumeRouting,
    "webhook-sweep": runCronSweep,
    "webhook-recoveries": resumeRecoveries,
    "stalled-jobs": resumeStalledJobs,
    "store-provisioning": provisionOverdueStores,
    "store-purges": purgeOverdueStores,
    "endpoint-purges": purgeDeletedEndpoints,
    "endpoint-rehomings": resumeRehomings,
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
    "form-draft-retention": deleteExpiredDrafts,
    "export-maintenance": maintainExports,
  },
  "30 2 * * *": {
    "order-digest": sendOrderDigest,
    "daily-metrics": recordMetrics,
    "subscription-reconciliation": reconcileSubscriptions,
    "usage-snapshots": startUsageRefresh,
    "nightly-backups": startNightlyBackups,
    "log-archiving": (ctx) => Promise.all([startArchiving(ctx), startArchivingEvents(ctx)]),
    "dead-letter-retention": deleteExpiredDeadLetters,
    "mail-retention": (ctx) => Promise.all([deleteExpiredMails(ctx), pruneNetworks(ctx)]),
    "payment-message-retention": deleteExpiredMessages,
    "license-rejection-retention": deleteExpiredRejections,
  },
} as const satisfies Record<Schedule, Record<string, ScheduledJob>>

type Schedule = typeof EVERY_MINUTE | "7 * * * *" | "30 2 * * *"

type NamesOf<Jobs> = Jobs extends unknown ? keyof Jobs : never

export type ScheduledJobName = NamesOf<(typeof SCHEDULES)[Schedule]>

const JOBS_BY_SCHEDULE: Readonly<Record<string, Readonly<Record<string, ScheduledJob>>>> = SCHEDULES

/**
 * The time budget of each job in milliseconds, checked between two items or pages (`ctx.run`). With `GRACE_MS` it ends
 * within the minute, because a job that stops continues in the next one.
 */
const TIME_BUDGETS: Record<ScheduledJobName, number> = {
  "event-routing": 15 * SECOND,
  "webhook-sweep": 20 * SECOND,
  "webhook-recoveries": 15 * SECOND,
  "stalled-jobs": 15 * SECOND,
  "store-provisioning": 15 * SECOND,
  "store-purges": 15 * SECOND,
  "endpoint-purges": 15 * SECOND,
  "endpoint-rehomings": 15 * SECOND,
  "site-migrations": 15 * SECOND,
  "backup-continuation": 15 * SECOND,
  notifications: 15 * SECOND,
  "media-cleanup": 15 * SECOND,
  "license-notices": 20 * SECOND,
  "mail-outbox": 15 * SECOND,
  "support-access-expiry": 20 * SECOND,
  "card-cancellations": 20 * SECOND,
  "idempotency-key-retention": 20 * SECOND,
  "system-metrics": 30 * SECOND,
  "billing-clock": 15 * SECOND,
  "domain-maintenance": 40 * SECOND,
  "audit-forwarding": 15 * SECOND,
  "app-hourly": 15 * SECOND,
  "form-draft-retention": 20 * SECOND,
  "export-maintenance": 20 * SECOND,
  "order-digest": 15 * SECOND,
  "daily-metrics": 30 * SECOND,
  "subscription-reconciliation": 40 * SECOND,
  "usage-snapshots": 15 * SECOND,
  "nightly-backups": 15 * SECOND,
  "log-archiving": 15 * SECOND,
  "dead-letter-retention": 20 * SECOND,
  "mail-retention": 20 * SECOND,
  "payment-message-retention": 20 * SECOND,
  "license-rejection-retention": 20 * SECOND,
}

/** Time that the last item of a job may take in addition. A job that takes longer failed, and does not delay others. */
const GRACE_MS = 15 * SECOND

/** All scheduled jobs, ordered by schedule. */
export const SCHEDULED_JOBS: readonly ListedJob[] = (Object.keys(SCHEDULES) as Schedule[]).flatMap((schedule) =>
  (Object.keys(SCHEDULES[schedule]) as ScheduledJobName[]).map((name) => ({ name, schedule })),
)

interface ListedJob {
  name: ScheduledJobName
  schedule: Schedule
}

/** Milliseconds since its last run after which a job of a schedule is overdue. */
const OVERDUE_AFTER: Record<Schedule, number> = {
  "* * * * *": 5 * MINUTE,
  "7 * * * *": 2 * HOUR,
  "30 2 * * *": 26 * HOUR,
}

/** Lists the jobs whose last run failed or that are overdue; a job that never ran is neither. */
export const listOverdueJobs = (runs: readonly CronRun[], now: Date): string[] =>
  SCHEDULED_JOBS.flatMap(({ name, schedule }) => {
    const run = runs.find(({ job }) => job === name)
    if (!run) return []
    const isLate = now.getTime() - run.startedAt.getTime() > OVERDUE_AFTER[schedule]
    return run.error !== null || isLate ? [name] : []
  })

/** Milliseconds between two runs of a schedule. */
const INTERVALS: Record<Schedule, number> = { "* * * * *": MINUTE, "7 * * * *": HOUR, "30 2 * * *": DAY }

/**
 * Computes by how much the most overdue job is late, and how many jobs failed; a job that never ran is neither.
 * @param running the schedule whose jobs run now, so none of them is late
 */
export function getScheduleState(runs: readonly CronRun[], now: Date, running: Schedule | null): ScheduleState {
  const latest = SCHEDULED_JOBS.flatMap(({ name, schedule }) => {
    const run = runs.find(({ job }) => job === name)
    return run ? [{ run, schedule }] : []
  })
  const lateness = latest.map(({ run, schedule }) =>
    schedule === running ? 0 : now.getTime() - run.startedAt.getTime() - INTERVALS[schedule],
  )
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
  const found = SCHEDULED_JOBS.find((job) => job.name === name)
  if (!found) throw new Refusal("not_found")
  await recordRuns(ctx, [await runTimed(ctx, found, null)])
}

/** Runs a job within its time budget and returns how it ended; never throws. */
async function runTimed(ctx: Ctx, { name, schedule }: ListedJob, running: Schedule | null): Promise<CronRun> {
  const budgetMs = TIME_BUDGETS[name]
  const started = currentMs()
  const run = new JobRun(budgetMs)
  let error: string | null = null
  try {
    const work = JOBS_BY_SCHEDULE[schedule]?.[name]?.({ ...ctx, run }, running)
    await withDeadline(budgetMs + GRACE_MS, Promise.resolve(work))
    if (run.items && run.failedItems === run.items) error = `Every item failed: ${run.items}. The log names them.`
  } catch (cause) {
    // The next minute tries again, instead of the next hour or day.
    if (countIfTransient(cause) || cause instanceof DeadlineExceeded) run.stop()
    ctx.log.error("scheduled job failed", cause, { job: name })
    error = describeError(cause).error
  }
  const durationMs = currentMs() - started
  const { stoppedAt, items, failedItems } = run
  if (stoppedAt && error === null)
    ctx.log.warn("scheduled job ran out of time", { job: name, budget_ms: budgetMs, duration_ms: durationMs })
  return { job: name, startedAt: new Date(started), durationMs, error, stoppedAt, items, failedItems }
}

/**
 * Runs the jobs of one cron trigger in parallel, each with its own context and request id, and records the runs. The
 * trigger of every minute also continues the jobs of other triggers that ran out of time or met a transient error.
 */
export async function handleCron(
  controller: ScheduledController,
  env: Bindings,
  execution: ExecutionContext,
): Promise<void> {
  const overrides = { now: new Date(controller.scheduledTime), outbound: createOutboundSemaphore() }
  const newContext = () => createContext(env, (work) => execution.waitUntil(work), overrides)
  const running = SCHEDULED_JOBS.filter(({ schedule }) => schedule === controller.cron)
  const continued = controller.cron === EVERY_MINUTE ? await listStoppedJobs(newContext()) : []
  const runs = await Promise.all(
    [...running, ...continued].map((job) => runTimed(newContext(), job, running[0]?.schedule ?? null)),
  )
  await recordRuns(newContext(), runs)
  recordWriteToAnySite()
  const { log, inBackground } = newContext()
  flushTransientErrors(env, log, inBackground)
}

/** Lists the hourly and daily jobs whose last run ran out of time, or met a transient error. */
async function listStoppedJobs(ctx: Ctx): Promise<ListedJob[]> {
  try {
    const stopped = (await listRuns(ctx)).filter(({ stoppedAt }) => stoppedAt !== null)
    return SCHEDULED_JOBS.filter(
      ({ name, schedule }) => schedule !== EVERY_MINUTE && stopped.some(({ job }) => job === name),
    )
  } catch (cause) {
    ctx.log.error("reading the last runs failed", cause)
    return []
  }
}
