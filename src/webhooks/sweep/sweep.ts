// The sweep, every minute: the only driver of the schedule's retries. It finds and leases what is due and hands it to a queue, a lane an endpoint; it
// makes no request itself, because all that one invocation sends shares six connections. It also hands on the first attempts that the
// queue lost, closes what came due at endpoints that are off, and prunes.
import type { Ctx } from "../../core/context"
import { withLock } from "../../core/queue/lock"
import type { Lane } from "../../core/queue/messages"
import { SECOND } from "../../lib/time"
import { noticeDisabled } from "../disabled-mail"
import { leaseMs } from "../lease"
import { takeDue } from "./due"
import { prune } from "./prune"

/** Deliveries a run hands on unless it is told otherwise. */
export const DEFAULT_LIMIT = 100

/** Deliveries that the cron takes at a time, and how long it goes on taking. */
const CRON_LIMIT = 1_000
const CRON_TIME = 20 * SECOND

/** Cloudflare Queues take at most 100 messages a call. */
const MESSAGES_A_CALL = 100

export type SweepReport =
  /** Another run is at work: nothing was done. */
  | { ran: false; message: string }
  /** `queued` deliveries were handed on to be attempted now. */
  | { ran: true; queued: number; closed: number; pruned_deliveries: number; pruned_events: number }

/**
 * Hands on what is due. Two sweeps do not run at once while the first holds its lock.
 * @param limit deliveries at most
 * @param endpoint only this endpoint's, when given
 */
export const sweep = (ctx: Ctx, input: { limit: number; endpoint?: number }): Promise<SweepReport> =>
  alone(ctx, () => handOn(ctx, input))

/** The cron's sweep: all that is due, as far as its time goes. */
export const sweepAll = (ctx: Ctx): Promise<SweepReport> =>
  alone(ctx, async () => {
    const end = Date.now() + CRON_TIME
    const sum = { queued: 0, closed: 0 }
    for (let which: "all" | "failed" = "all"; ; which = "failed") {
      const { queued, closed } = await handOn(ctx, { limit: CRON_LIMIT, which, holds: true })
      sum.queued += queued
      sum.closed += closed
      if (queued + closed === 0 || Date.now() >= end) return sum
    }
  })

async function alone(ctx: Ctx, work: () => Promise<{ queued: number; closed: number }>): Promise<SweepReport> {
  const report = await withLock(ctx, "webhook sweep", leaseMs(ctx.settings), async () => {
    const handed = await work()
    await noticeDisabled(ctx)
    const pruned = await prune(ctx)
    return { ...handed, pruned_deliveries: pruned.deliveries, pruned_events: pruned.events }
  })
  if (!report) return { ran: false, message: "Another run is at work." }
  if (Object.values(report).some((count) => count > 0)) ctx.log.info("webhook sweep", report)
  return { ran: true, ...report }
}

async function handOn(
  ctx: Ctx,
  input: { limit: number; endpoint?: number; which?: "all" | "failed"; holds?: boolean },
): Promise<{ queued: number; closed: number }> {
  const { lanes, closed } = await takeDue(ctx, input)
  for (let start = 0; start < lanes.length; start += MESSAGES_A_CALL) {
    await send(ctx, lanes.slice(start, start + MESSAGES_A_CALL))
  }
  return { queued: lanes.flatMap((lane) => lane.deliveries).length, closed }
}

/** Messages that the queue does not take are lost, and no more: their deliveries come due again. */
async function send(ctx: Ctx, lanes: Lane[]): Promise<void> {
  try {
    await ctx.env.RETRY_QUEUE.sendBatch(lanes.map((lane) => ({ body: { lane } })))
  } catch (cause) {
    ctx.log.error("lanes of a sweep were not handed on", cause, { lanes: lanes.length })
  }
}
