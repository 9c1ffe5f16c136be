// Cron runs: schedule -> what is done. Each part stands alone, so that one fault does not keep the others from running.

import { plugins } from "../apps/registry"
import { sweepAllMedia } from "../content/media/sweep"
import { deliverDue } from "../content/notifications/deliver"
import { invalidateIsolateCache } from "../core/cache/edge-cache"
import type { Ctx } from "../core/context"
import { createContext } from "../core/context"
import { Refusal } from "../core/http/refusal"
import { describeError } from "../core/log"
import { forgetDeadLetters } from "../core/queue/dead-letters"
import { forEachItem } from "../core/queue/for-each-item"
import { enqueueJob } from "../core/queue/leased-jobs"
import { forgetAnswers } from "../core/write/idempotency"
import { forwardTrails } from "../core/write/site-commit"
import type { Env } from "../env"
import { DAY, HOUR, MINUTE } from "../lib/time"
import { announceDates } from "../license/notices"
import { forgetTries } from "../license/rejections/service"
import { forgetMails, sendWaitingMails } from "../mails/outbox"
import { type CronRun, recordRuns } from "../platform/cron/service"
import { tendDomains } from "../platform/domains/verify"
import { recordFigures } from "../platform/metrics/service"
import { pruneNetworks } from "../platform/operators/networks"
import { sendOrderDigest } from "../platform/orders/digest"
import { endCancelled } from "../platform/payments/cancel"
import { forgetMessages } from "../platform/payments/receive"
import { reconcileSubscriptions } from "../platform/payments/reconcile"
import { overdueMoves } from "../platform/site-migration/service"
import { overdueStores, provisionStore } from "../platform/stores/provision"
import { overduePurges } from "../platform/stores/remove"
import { startBilling } from "../platform/subscriptions/clock"
import { endOverdueSupport } from "../platform/support/service"
import { warnOfSize } from "../platform/system/capacity"
import { startRefresh } from "../platform/usage/snapshots"
import { overdueEndpoints } from "../webhooks/endpoints/purge"
import { resumeRecoveries } from "../webhooks/recovery/service"
import { sweepAll } from "../webhooks/sweep/sweep"

type Part = (ctx: Ctx) => Promise<unknown>

/** Work the queue lost is done here; so much of it a run. */
const BATCH = 20

const provisionOverdue: Part = async (ctx) =>
  forEachItem(ctx, "lost provisioning", await overdueStores(ctx, BATCH), (id) => provisionStore(ctx, id))

/** Only enqueued: a purge may take long, and the queue gives each an invocation of its own. */
const purgeOverdue: Part = async (ctx) =>
  forEachItem(
    ctx,
    "lost purges",
    await overduePurges(ctx, BATCH),
    ({ store, seq }) => enqueueJob(ctx, { job: "purge", store, seq: seq ?? undefined }),
    ({ store }) => store,
  )

const purgeEndpoints: Part = async (ctx) =>
  forEachItem(ctx, "deleted endpoints", await overdueEndpoints(ctx, BATCH), (endpoint) =>
    enqueueJob(ctx, { job: "endpoint", endpoint }),
  )

const moveStores: Part = async (ctx) =>
  forEachItem(
    ctx,
    "moves of stores",
    await overdueMoves(ctx, BATCH),
    ({ store, seq }) => enqueueJob(ctx, { job: "move", store, seq }),
    ({ store }) => store,
  )

/** The schedules of wrangler.toml. */
const SCHEDULES: Record<string, Record<string, Part>> = {
  "* * * * *": {
    "webhook deliveries": sweepAll,
    "webhook recoveries": resumeRecoveries,
    "lost provisioning": provisionOverdue,
    "lost purges": purgeOverdue,
    "deleted endpoints": purgeEndpoints,
    "moves of stores": moveStores,
    "due notifications": deliverDue,
    "deleted media": sweepAllMedia,
    "license dates": announceDates,
    "waiting mails": sendWaitingMails,
    "support access": endOverdueSupport,
    "card subscriptions of deleted stores": endCancelled,
    "old idempotency keys": forgetAnswers,
  },
  "7 * * * *": {
    "billing clock": startBilling,
    domains: tendDomains,
    "trails of sites": forwardTrails,
    "work of apps": workOfApps,
  },
  "30 2 * * *": {
    "digest of open orders": sendOrderDigest,
    "the day's figures": recordFigures,
    "silent card subscriptions": reconcileSubscriptions,
    "usage snapshots": startRefresh,
    "old dead letters": forgetDeadLetters,
    "room in the databases": (ctx) => warnOfSize(ctx),
    "old mails": (ctx) => Promise.all([forgetMails(ctx), pruneNetworks(ctx)]),
    "messages of no store": forgetMessages,
    "old refused tries": forgetTries,
  },
}

/** The parts, in the order of their schedules. */
export const PARTS: readonly { name: string; schedule: string }[] = Object.entries(SCHEDULES).flatMap(
  ([schedule, parts]) => Object.keys(parts).map((name) => ({ name, schedule })),
)

/** After so long without a run a part of a schedule has missed one. */
const PATIENCE: Record<string, number> = { "* * * * *": 5 * MINUTE, "7 * * * *": 2 * HOUR, "30 2 * * *": 26 * HOUR }

/** Parts whose last run failed, or that ran once and have missed their time since. */
export const lateParts = (runs: readonly CronRun[], now: Date): string[] =>
  PARTS.flatMap(({ name, schedule }) => {
    const run = runs.find(({ part }) => part === name)
    if (!run) return []
    const isLate = now.getTime() - run.startedAt.getTime() > (PATIENCE[schedule] ?? DAY)
    return run.error !== null || isLate ? [name] : []
  })

/** When a schedule comes round next: every minute, at a minute of every hour, or at a time of every day. */
export function nextRun(schedule: string, now: Date): Date {
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
 * Runs one part now, because somebody wants it; how it went is written down as ever.
 * @throws Refusal `not_found`
 */
export async function runPart(ctx: Ctx, name: string): Promise<void> {
  const part = Object.values(SCHEDULES)
    .map((parts) => parts[name])
    .find(Boolean)
  if (!part) throw new Refusal("not_found")
  await recordRuns(ctx, [await timed(ctx, name, part)])
}

/** Runs a part, and answers how it went. */
async function timed(ctx: Ctx, name: string, part: Part): Promise<CronRun> {
  const started = Date.now()
  let error: string | null = null
  try {
    await part(ctx)
  } catch (cause) {
    ctx.log.error("cron part failed", cause, { part: name })
    error = describeError(cause).error
  }
  return { part: name, startedAt: new Date(started), durationMs: Date.now() - started, error }
}

/** Runs the parts of one schedule, at once. */
export async function handleCron(
  controller: ScheduledController,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const ctx = createContext(env, (work) => execution.waitUntil(work), { now: new Date(controller.scheduledTime) })
  const parts = Object.entries(SCHEDULES[controller.cron] ?? {})
  const runs = await Promise.all(parts.map(([name, part]) => timed(ctx, name, part)))
  await recordRuns(ctx, runs)
  invalidateIsolateCache()
}

async function workOfApps(ctx: Ctx): Promise<void> {
  for (const { slug, hourly } of plugins) {
    try {
      await (await hourly?.())?.(ctx)
    } catch (cause) {
      ctx.log.error("an app's hourly work failed", cause, { app: slug })
    }
  }
}
