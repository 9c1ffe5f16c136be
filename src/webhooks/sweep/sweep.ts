// The sweep, every minute: the only driver of retries. It also makes the first attempts that the queue lost, closes what came
// due at endpoints that are off, and prunes.
import type { Ctx } from "../../core/context"
import { withLock } from "../../core/lock"
import { SECOND } from "../../lib/time"
import { noticeDisabled } from "../notice"
import { leaseMs } from "../reserve"
import { takeDue } from "./due"
import { fanOut } from "./fan-out"
import type { Tally } from "./lane"
import { prune } from "./prune"

/** Deliveries a run attempts unless it is told otherwise. */
export const DEFAULT_LIMIT = 100

/** From then on a run starts no further attempt: it ends a timeout later, and what is left is due in the next minute. */
const STARTING = 2 * SECOND

export type SweepReport =
  /** Another run is at work: nothing was done. */
  | { ran: false; message: string }
  | ({ ran: true; closed: number; pruned_deliveries: number; pruned_events: number } & Tally)

/**
 * Attempts what is due. Two sweeps never run at once.
 * @param limit deliveries at most
 * @param endpoint only this endpoint's, when given
 */
export async function sweep(ctx: Ctx, input: { limit: number; endpoint?: number }): Promise<SweepReport> {
  const report = await withLock(ctx, "webhook sweep", leaseMs(ctx.settings), async () => {
    const startBefore = Date.now() + STARTING
    const { lanes, closed } = await takeDue(ctx, input)
    const tally = await fanOut(ctx, lanes, startBefore)
    await noticeDisabled(ctx)
    const pruned = await prune(ctx)
    return { ...tally, closed, pruned_deliveries: pruned.deliveries, pruned_events: pruned.events }
  })
  if (!report) return { ran: false, message: "Another run is at work." }
  if (Object.values(report).some((count) => count > 0)) ctx.log.info("webhook sweep", report)
  return { ran: true, ...report }
}
