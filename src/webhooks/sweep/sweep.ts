// Sweeps due deliveries every minute: the only trigger of scheduled retries. It leases what is due and enqueues one
// batch per endpoint; it makes no requests itself, because an invocation has only six connections. It also enqueues
// first attempts whose message was lost, closes due deliveries of endpoints that do not receive, notifies operators,
// and prunes.

import type { Ctx } from "../../core/context"
import { withLock } from "../../core/queue/lock"
import type { EndpointBatch } from "../../core/queue/messages"
import { sendMessages } from "../../core/queue/send"
import { notifyDisabledEndpoints } from "../disabled-mail"
import { isIdle } from "../idle"
import { getLeaseMs } from "../lease"
import { type LeaseOptions, leaseDue } from "./due"
import { prune } from "./prune"

/** Deliveries per manual sweep by default. */
export const DEFAULT_LIMIT = 100

/** Deliveries leased per round of the cron's sweep. */
const CRON_LIMIT = 1_000

/** Limit of Cloudflare Queues for `sendBatch`. */
const MAX_MESSAGES_PER_CALL = 100

export type SweepReport =
  /** Another sweep has the lock, so this one did nothing. */
  | { ran: false; message: string }
  /** `queued`: deliveries enqueued for an attempt. */
  | { ran: true; queued: number; closed: number; pruned_deliveries: number; pruned_events: number }

/**
 * Enqueues due deliveries once. A lock prevents concurrent sweeps.
 * @param limit maximum number of deliveries
 * @param endpoint only deliveries of this endpoint
 */
export const runSweep = (ctx: Ctx, input: { limit: number; endpoint?: number }): Promise<SweepReport> =>
  withSweepLock(ctx, () => enqueueDue(ctx, input))

/** Enqueues all due deliveries, in rounds until the run is out of time. Does nothing while the platform is idle. */
export async function runCronSweep(ctx: Ctx): Promise<void> {
  if (await isIdle(ctx)) return
  await withSweepLock(ctx, async () => {
    const sum = { queued: 0, closed: 0 }
    for (let statuses: "all" | "failed" = "all"; ; statuses = "failed") {
      const { queued, closed } = await enqueueDue(ctx, { limit: CRON_LIMIT, statuses, locksEndpoints: true })
      sum.queued += queued
      sum.closed += closed
      if (queued + closed === 0 || ctx.run.isOutOfTime()) return sum
    }
  })
}

async function withSweepLock(ctx: Ctx, work: () => Promise<{ queued: number; closed: number }>): Promise<SweepReport> {
  const report = await withLock(ctx, "webhook sweep", getLeaseMs(ctx.settings), async () => {
    const enqueued = await work()
    await notifyDisabledEndpoints(ctx)
    const pruned = await prune(ctx)
    return { ...enqueued, pruned_deliveries: pruned.deliveries, pruned_events: pruned.events }
  })
  if (!report) return { ran: false, message: "Another sweep is already running." }
  if (Object.values(report).some((count) => count > 0)) ctx.log.info("webhook sweep", report)
  return { ran: true, ...report }
}

async function enqueueDue(ctx: Ctx, options: LeaseOptions): Promise<{ queued: number; closed: number }> {
  const { batches, closed } = await leaseDue(ctx, options)
  for (let start = 0; start < batches.length; start += MAX_MESSAGES_PER_CALL) {
    await sendBatches(ctx, batches.slice(start, start + MAX_MESSAGES_PER_CALL))
  }
  return { queued: batches.flatMap((batch) => batch.deliveries).length, closed }
}

/** Sends batches to the queue. If the queue rejects them, their deliveries are due again when the lease expires. */
async function sendBatches(ctx: Ctx, batches: EndpointBatch[]): Promise<void> {
  try {
    // The field is named `lane` in messages that are in flight.
    await sendMessages(
      ctx,
      batches.map((batch) => ({ lane: batch })),
    )
  } catch (cause) {
    ctx.log.error("enqueueing the batches of a sweep failed", cause, { batches: batches.length })
  }
}
