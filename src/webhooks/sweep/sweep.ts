// Sweeps due deliveries every minute: the only trigger of scheduled retries. It leases what is due and enqueues one
// batch per endpoint; it makes no requests itself, because an invocation has only six connections. It also enqueues
// first attempts whose message was lost, closes due deliveries of endpoints that do not receive, notifies operators,
// and prunes.

import type { Ctx } from "../../core/context"
import { withLock } from "../../core/queue/lock"
import type { EndpointBatch } from "../../core/queue/messages"
import { sendMessages } from "../../core/queue/send"
import { type DeliveryDatabase, findHome, listDeliveryDatabases } from "../../core/write/delivery-databases"
import { replicateEndpoints } from "../../core/write/endpoint-replicas"
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
 * @param limit maximum number of deliveries of each delivery database
 * @param endpoint only deliveries of this endpoint
 */
export const runSweep = (ctx: Ctx, input: { limit: number; endpoint?: number }): Promise<SweepReport> =>
  withSweepLock(ctx, async () => {
    const { endpoint } = input
    const databases = endpoint === undefined ? listDeliveryDatabases(ctx) : [await findHome(ctx, endpoint)]
    // lint: each delivery database
    const work = databases.map(async (home) => {
      await replicateEndpoints(ctx, home)
      return enqueueDue(ctx, home, input)
    })
    return addReports(ctx, await Promise.allSettled(work))
  })

/** Enqueues all due deliveries, in rounds until the run is out of time. Does nothing while the platform is idle. */
export async function runCronSweep(ctx: Ctx): Promise<void> {
  if (await isIdle(ctx)) return
  await withSweepLock(ctx, async () => {
    // lint: each delivery database
    const sums = await Promise.allSettled(listDeliveryDatabases(ctx).map((home) => sweepDatabase(ctx, home)))
    return addReports(ctx, sums)
  })
}

/** Enqueues all due deliveries of a delivery database. */
async function sweepDatabase(ctx: Ctx, home: DeliveryDatabase): Promise<{ queued: number; closed: number }> {
  await replicateEndpoints(ctx, home)
  const sum = { queued: 0, closed: 0 }
  for (let statuses: "all" | "failed" = "all"; ; statuses = "failed") {
    const { queued, closed } = await enqueueDue(ctx, home, { limit: CRON_LIMIT, statuses, locksEndpoints: true })
    sum.queued += queued
    sum.closed += closed
    if (queued + closed === 0 || ctx.run.isOutOfTime()) return sum
  }
}

/**
 * Adds the reports of the databases. One that did not respond does not stop the others.
 * @throws its error if it is the only one
 */
function addReports(
  ctx: Ctx,
  reports: PromiseSettledResult<{ queued: number; closed: number }>[],
): { queued: number; closed: number } {
  const sum = { queued: 0, closed: 0 }
  for (const report of reports) {
    if (report.status === "fulfilled") {
      sum.queued += report.value.queued
      sum.closed += report.value.closed
    } else if (reports.length === 1) throw report.reason
    else ctx.log.error("the sweep of a delivery database failed", report.reason)
  }
  return sum
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

async function enqueueDue(
  ctx: Ctx,
  home: DeliveryDatabase,
  options: LeaseOptions,
): Promise<{ queued: number; closed: number }> {
  const { batches, closed } = await leaseDue(home, options)
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
