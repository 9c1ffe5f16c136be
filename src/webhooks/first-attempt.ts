// A delivery's first attempt, as the queue asks for it.
import type { Ctx } from "../core/context"
import { dispatchLater } from "../core/queue/dispatch"
import type { DeliveryMessage } from "../core/queue/messages"
import { attempt } from "./attempt"
import { enterEndpoint, releaseEndpoint } from "./failure-counter"

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
  const { endpoint, busy = 0 } = message
  const place = endpoint === undefined ? undefined : await enterEndpoint(ctx, endpoint)
  if (place === null) {
    if (busy < TURNS) await dispatchLater(ctx, { ...message, busy: busy + 1 }, 2 ** busy)
    return
  }
  const made = attemptAt(ctx, message, place)
  const isSlow = await Promise.race([made.then(() => false), scheduler.wait(PATIENCE).then(() => true)])
  if (isSlow) ctx.after(made)
}

/** Makes the attempt. Its place is given back by whoever counts it, or here, where there is nothing to count. */
async function attemptAt(ctx: Ctx, { delivery, endpoint }: DeliveryMessage, place?: string): Promise<void> {
  let isCounted = false
  try {
    const made = await attempt(ctx, delivery, "first", place)
    isCounted = made !== null && made.attempt > 0
  } finally {
    if (!isCounted && endpoint !== undefined && place) await releaseEndpoint(ctx, endpoint, place)
  }
}
