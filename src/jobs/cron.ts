// Cron runs: schedule -> what is done. Each part stands alone, so that one fault does not keep the others from running.
import { sweepAllMedia } from "../content/media/sweep"
import { deliverDue } from "../content/notifications/deliver"
import type { Ctx } from "../core/context"
import { createContext } from "../core/context"
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
import { overduePurges, purgeStore } from "../platform/stores/remove"
import { startBilling } from "../platform/subscriptions/clock"
import { startRefresh } from "../platform/usage/snapshots"
import { DEFAULT_LIMIT, sweep } from "../webhooks/sweep/sweep"

type Part = (ctx: Ctx) => Promise<unknown>

/** The schedules of wrangler.toml. */
const SCHEDULES: Record<string, Record<string, Part>> = {
  "* * * * *": {
    "webhook deliveries": (ctx) => sweep(ctx, { limit: DEFAULT_LIMIT }),
    "lost provisioning": provisionOverdue,
    "lost purges": purgeOverdue,
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

/** Work the queue lost is done here; so much of it a run. */
const BATCH = 20

async function provisionOverdue(ctx: Ctx): Promise<void> {
  for (const id of await overdueStores(ctx, BATCH)) await provisionStore(ctx, id)
}

async function purgeOverdue(ctx: Ctx): Promise<void> {
  for (const id of await overduePurges(ctx, BATCH)) await purgeStore(ctx, id)
}
