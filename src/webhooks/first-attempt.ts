// A delivery's first attempt, as the queue asks for it.
import type { Ctx } from "../core/context"
import { dispatchLater } from "../core/dispatch"
import type { DeliveryMessage } from "../jobs/messages"
import { attempt } from "./attempt"
import { enterEndpoint } from "./failures"

/** Milliseconds that a batch of messages waits for a receiver. */
const PATIENCE = 250

/** How often a message waits for a place at its endpoint: after 1, 2, 4 and 8 seconds. Then the sweep has it. */
const TURNS = 4

/**
 * Makes a first attempt. A receiver that is slow is waited for behind the batch, so that it holds up nobody else's; should
 * that wait die, the sweep brings the delivery back. One that has enough to do already gets it a little later.
 * @throws a fault of ours, so that the queue tries again
 */
export async function firstAttempt(ctx: Ctx, message: DeliveryMessage): Promise<void> {
  const { delivery, endpoint, busy = 0 } = message
  if (endpoint !== undefined && !(await enterEndpoint(ctx, endpoint))) {
    if (busy < TURNS) await dispatchLater(ctx, { ...message, busy: busy + 1 }, 2 ** busy)
    return
  }
  const made = attempt(ctx, delivery, "first")
  const isSlow = await Promise.race([made.then(() => false), scheduler.wait(PATIENCE).then(() => true)])
  if (isSlow) ctx.after(made)
}
