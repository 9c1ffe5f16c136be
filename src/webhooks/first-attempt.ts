// A delivery's first attempt, as the queue asks for it.
import type { Ctx } from "../core/context"
import { SECOND } from "../lib/time"
import { attempt } from "./attempt"

/** How long a batch of messages waits for a receiver. */
const PATIENCE = SECOND

/**
 * Makes a first attempt. A receiver that is slow is waited for behind the batch, so that it holds up nobody else's: the
 * message has done its work once the attempt is reserved, and the lease brings back what is lost from there.
 * @throws what kept the attempt from being reserved, so that the queue tries again
 */
export async function firstAttempt(ctx: Ctx, delivery: number): Promise<void> {
  const made = attempt(ctx, delivery, "first")
  const isSlow = await Promise.race([made.then(() => false), scheduler.wait(PATIENCE).then(() => true)])
  if (isSlow) ctx.after(made)
}
