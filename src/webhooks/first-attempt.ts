// A delivery's first attempt, as the queue asks for it.
import type { Ctx } from "../core/context"
import { attempt } from "./attempt"

/** Milliseconds that a batch of messages waits for a receiver. */
const PATIENCE = 250

/**
 * Makes a first attempt. A receiver that is slow is waited for behind the batch, so that it holds up nobody else's; should
 * that wait die, the sweep brings the delivery back.
 * @throws a fault of ours, so that the queue tries again
 */
export async function firstAttempt(ctx: Ctx, delivery: number): Promise<void> {
  const made = attempt(ctx, delivery, "first")
  const isSlow = await Promise.race([made.then(() => false), scheduler.wait(PATIENCE).then(() => true)])
  if (isSlow) ctx.after(made)
}
