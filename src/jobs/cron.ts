// Runs the scheduled tasks of each cron trigger. Tasks are independent: one that fails does not stop the others.

import { installedApps } from "../apps/registry"
import { sweepAllMedia } from "../content/media/sweep"
import { deliverDueNotifications } from "../content/notifications/deliver"
import { invalidateIsolateCache } from "../core/cache/edge-cache"
import type { Ctx } from "../core/context"
import { createContext } from "../core/context"
import { Refusal } from "../core/http/refusal"
import { describeError } from "../core/log"
import { deleteExpiredDeadLetters } from "../core/queue/dead-letters"
import { forEachItem } from "../core/queue/for-each-item"
import { enqueueJob } from "../core/queue/leased-jobs"
import { deleteExpiredResponses } from "../core/write/idempotency"
import { forwardAuditOutboxes } from "../core/write/site-commit"
import type { Env } from "../env"
import { DAY, HOUR, MINUTE } from "../lib/time"
import { sendLicenseNotices } from "../license/notices"
import { deleteExpiredRejections } from "../license/rejections/service"
import { deleteExpiredMails, sendDueMails } from "../mails/outbox"
import { type CronRun, recordRuns } from "../platform/cron/service"
import { runDomainMaintenance } from "../platform/domains/verify"
import { recordMetrics } from "../platform/metrics/service"
import { pruneNetworks } from "../platform/operators/networks"
import { sendOrderDigest } from "../platform/orders/digest"
import { processCancellations } from "../platform/payments/cancel"
import { deleteExpiredMessages } from "../platform/payments/receive"
import { reconcileSubscriptions } from "../platform/payments/reconcile"
import { listOverdueMigrations } from "../platform/site-migration/service"
import { listOverdueStores, provisionStore } from "../platform/stores/provision"
import { listOverduePurges } from "../platform/stores/remove"
import { startBillingRun } from "../platform/subscriptions/clock"
import { endOverdueSupportAccesses } from "../platform/support/service"
import { warnOfDatabaseSize } from "../platform/system/capacity"
import { startUsageRefresh } from "../platform/usage/snapshots"
import { listOverdueEndpointPurges } from "../webhooks/endpoints/purge"
import { resumeRecoveries } from "../webhooks/recovery/service"
import { runCronSweep } from "../webhooks/sweep/sweep"

type Task = (ctx: Ctx) => Promise<unknown>

/** Items of lost work that a task re-enqueues per run. */
const BATCH_SIZE = 20

const provisionOverdueStores: Task = async (ctx) =>
  forEachItem(ctx, "store-provisioning", await listOverdueStores(ctx, BATCH_SIZE), (id) => provisionStore(ctx, id))

/** Enqueues the purges, because each may take long and the queue runs it in its own invocation. */
const purgeOverdueStores: Task = async (ctx) =>
  forEachItem(
    ctx,
    "store-purges",
    await listOverduePurges(ctx, BATCH_SIZE),
    ({ store, seq }) => enqueueJob(ctx, { job: "purge", store, seq: seq ?? undefined }),
    ({ store }) => store,
  )

const purgeDeletedEndpoints: Task = async (ctx) =>
  forEachItem(ctx, "endpoint-purges", await listOverdueEndpointPurges(ctx, BATCH_SIZE), (endpoint) =>
    enqueueJob(ctx, { job: "endpoint", endpoint }),
  )

const continueSiteMigrations: Task = async (ctx) =>
  forEachItem(
    ctx,
    "site-migrations",
    await listOverdueMigrations(ctx, BATCH_SIZE),
    ({ store, seq }) => enqueueJob(ctx, { job: "move", store, seq }),
    ({ store }) => store,
  )

/**
 * The tasks of each cron trigger in wrangler.toml. A task's name is its key in `cron_runs`; rows of names that are no
 * longer listed here are ignored.
 */
const SCHEDULES: Record<string, Record<string, Task>> = {
  "* * * * *": {
    "webhook-sweep": runCronSweep,
    "webhook-recoveries": resumeRecoveries,
    "store-provisioning": provisionOverdueStores,
    "store-purges": purgeOverdueStores,
    "endpoint-purges": purgeDeletedEndpoints,
    "site-migrations": continueSiteMigrations,
    notifications: deliverDueNotifications,
    "media-cleanup": sweepAllMedia,
    "license-notices": sendLicenseNotices,
    "mail-outbox": sendDueMails,
    "support-access-expiry": endOverdueSupportAccesses,
    "card-cancellations": processCancellations,
    "idempotency-key-retention": deleteExpiredResponses,
  },
  "7 * * * *": {
    "billing-clock": startBillingRun,
    "domain-maintenance": runDomainMaintenance,
    "audit-forwarding": forwardAuditOutboxes,
    "app-hourly": runAppsHourly,
  },
  "30 2 * * *": {
    "order-digest": sendOrderDigest,
    "daily-metrics": recordMetrics,
    "subscription-reconciliation": reconcileSubscriptions,
    "usage-snapshots": startUsageRefresh,
    "dead-letter-retention": deleteExpiredDeadLetters,
    "database-capacity": (ctx) => warnOfDatabaseSize(ctx),
    "mail-retention": (ctx) => Promise.all([deleteExpiredMails(ctx), pruneNetworks(ctx)]),
    "payment-message-retention": deleteExpiredMessages,
    "license-rejection-retention": deleteExpiredRejections,
  },
}

/** All tasks, ordered by schedule. */
export const TASKS: readonly { name: string; schedule: string }[] = Object.entries(SCHEDULES).flatMap(
  ([schedule, tasks]) => Object.keys(tasks).map((name) => ({ name, schedule })),
)

/** Milliseconds since its last run after which a task of a schedule is overdue. */
const OVERDUE_AFTER: Record<string, number> = {
  "* * * * *": 5 * MINUTE,
  "7 * * * *": 2 * HOUR,
  "30 2 * * *": 26 * HOUR,
}

/** Lists the tasks whose last run failed or that are overdue; a task that never ran is neither. */
export const listOverdueTasks = (runs: readonly CronRun[], now: Date): string[] =>
  TASKS.flatMap(({ name, schedule }) => {
    const run = runs.find(({ part }) => part === name)
    if (!run) return []
    const isLate = now.getTime() - run.startedAt.getTime() > (OVERDUE_AFTER[schedule] ?? DAY)
    return run.error !== null || isLate ? [name] : []
  })

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
 * Runs one task now, on an operator's request, and records the run.
 * @throws Refusal `not_found`
 */
export async function runTask(ctx: Ctx, name: string): Promise<void> {
  const task = Object.values(SCHEDULES)
    .map((tasks) => tasks[name])
    .find(Boolean)
  if (!task) throw new Refusal("not_found")
  await recordRuns(ctx, [await runTimed(ctx, name, task)])
}

/** Runs a task and returns its duration and error; never throws. */
async function runTimed(ctx: Ctx, name: string, task: Task): Promise<CronRun> {
  const started = Date.now()
  let error: string | null = null
  try {
    await task(ctx)
  } catch (cause) {
    ctx.log.error("scheduled task failed", cause, { task: name })
    error = describeError(cause).error
  }
  return { part: name, startedAt: new Date(started), durationMs: Date.now() - started, error }
}

/** Runs the tasks of one cron trigger in parallel and records the runs. */
export async function handleCron(
  controller: ScheduledController,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const ctx = createContext(env, (work) => execution.waitUntil(work), { now: new Date(controller.scheduledTime) })
  const tasks = Object.entries(SCHEDULES[controller.cron] ?? {})
  const runs = await Promise.all(tasks.map(([name, task]) => runTimed(ctx, name, task)))
  await recordRuns(ctx, runs)
  invalidateIsolateCache()
}

/** Runs the hourly hook of every app; one that fails does not stop the others. */
async function runAppsHourly(ctx: Ctx): Promise<void> {
  for (const { slug, hourly } of installedApps) {
    try {
      await (await hourly?.())?.(ctx)
    } catch (cause) {
      ctx.log.error("hourly task of an app failed", cause, { app: slug })
    }
  }
}
