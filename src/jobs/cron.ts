// Cron runs: schedule -> what is done. Each part stands alone, so that one fault does not keep the others from running.
import { sweepAllMedia } from "../content/media/sweep"
import { deliverDue } from "../content/notifications/deliver"
import type { Ctx } from "../core/context"
import { createContext } from "../core/context"
import { forgetDeadLetters } from "../core/dead-letters"
import { eachOf } from "../core/each-of"
import { noticeWrite } from "../core/edge-cache"
import { forgetAnswers } from "../core/idempotency"
import { forwardTrails } from "../core/site-commit"
import type { Env } from "../env"
import { announceDates } from "../license/notices"
import { tendDomains } from "../platform/domains/verify"
import { sendWaitingMails } from "../platform/mails/outbox"
import { sendOrderDigest } from "../platform/orders/digest"
import { reconcileSubscriptions } from "../platform/payments/reconcile"
import { overdueStores, provisionStore } from "../platform/stores/provision"
import { overduePurges } from "../platform/stores/remove"
import { startBilling } from "../platform/subscriptions/clock"
import { startRefresh } from "../platform/usage/snapshots"
import { overdueEndpoints } from "../webhooks/endpoints/purge"
import { sweepAll } from "../webhooks/sweep/sweep"

type Part = (ctx: Ctx) => Promise<unknown>

/** Work the queue lost is done here; so much of it a run. */
const BATCH = 20

const provisionOverdue: Part = async (ctx) =>
  eachOf(ctx, "lost provisioning", await overdueStores(ctx, BATCH), (id) => provisionStore(ctx, id))

/** Only asked for again: a purge may take long, and an invocation of its own is the queue's to give. */
const purgeOverdue: Part = async (ctx) =>
  eachOf(ctx, "lost purges", await overduePurges(ctx, BATCH), (store) =>
    ctx.env.JOB_QUEUE.send({ job: "purge", store }),
  )

const purgeEndpoints: Part = async (ctx) =>
  eachOf(ctx, "deleted endpoints", await overdueEndpoints(ctx, BATCH), (endpoint) =>
    ctx.env.JOB_QUEUE.send({ job: "endpoint", endpoint }),
  )

/** The schedules of wrangler.toml. */
const SCHEDULES: Record<string, Record<string, Part>> = {
  "* * * * *": {
    "webhook deliveries": sweepAll,
    "lost provisioning": provisionOverdue,
    "lost purges": purgeOverdue,
    "deleted endpoints": purgeEndpoints,
    "due notifications": deliverDue,
    "deleted media": sweepAllMedia,
    "license dates": announceDates,
    "waiting mails": sendWaitingMails,
  },
  "7 * * * *": { "billing clock": startBilling, domains: tendDomains, "trails of sites": forwardTrails },
  "30 2 * * *": {
    "digest of open orders": sendOrderDigest,
    "silent card subscriptions": reconcileSubscriptions,
    "usage snapshots": startRefresh,
    "old idempotency keys": forgetAnswers,
    "old dead letters": forgetDeadLetters,
  },
}

/** Runs the parts of one schedule, at once. */
export async function handleCron(
  controller: ScheduledController,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const ctx = createContext(env, (work) => execution.waitUntil(work), { now: new Date(controller.scheduledTime) })
  const parts = Object.entries(SCHEDULES[controller.cron] ?? {})
  await Promise.all(
    parts.map(([name, part]) => part(ctx).catch((cause) => ctx.log.error("cron part failed", cause, { part: name }))),
  )
  noticeWrite()
}
