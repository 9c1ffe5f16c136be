// Makes a delivery's first attempt when its queue message arrives.
import type { Ctx } from "../core/context"
import type { DeliveryMessage } from "../core/queue/messages"
import { sendMessage } from "../core/queue/send"
import { attemptDelivery } from "./attempt"
import { acquireSlot, releaseSlot } from "./failure-counter"

/** Time that a batch of messages waits for a receiver before the attempt continues in the background. */
const INLINE_WAIT_MS = 250

/** Deferrals of a message whose endpoint has no free slot: after 1, 2, 4 and 8 seconds. Then the sweep takes over. */
const MAX_DEFERRALS = 4

/**
 * Makes a first attempt. A slow receiver is awaited in the background, so it does not delay the other messages of the
 * batch; if the invocation dies, the sweep retries the delivery. A message whose endpoint has no free slot is deferred.
 * @throws the platform's own errors, so that the queue retries the message
 */
export async function makeFirstAttempt(ctx: Ctx, message: DeliveryMessage): Promise<void> {
  const { endpoint, busy = 0 } = message
  const slotToken = endpoint === undefined ? undefined : await acquireSlot(ctx, endpoint)
  if (slotToken === null) {
    if (busy < MAX_DEFERRALS) await sendMessage(ctx, { ...message, busy: busy + 1 }, 2 ** busy)
    return
  }
  const reserved = Promise.withResolvers<void>()
  const attempt = attemptWithSlot(ctx, message, slotToken, reserved.resolve)
  // A database error before that point fails the message, so the queue retries it.
  const receiverIsSlow = reserved.promise.then(() => scheduler.wait(INLINE_WAIT_MS)).then(() => true)
  if (await Promise.race([attempt.then(() => false), receiverIsSlow])) ctx.inBackground(attempt)
}

/** Makes the attempt. Counting its outcome releases the slot; if nothing was counted, it is released here. */
async function attemptWithSlot(
  ctx: Ctx,
  { delivery, endpoint }: DeliveryMessage,
  slotToken: string | undefined,
  onReserved: () => void,
): Promise<void> {
  let isCounted = false
  try {
    const attempted = await attemptDelivery(ctx, delivery, "first", slotToken, onReserved)
    isCounted = attempted !== null && attempted.attempt > 0
  } finally {
    if (!isCounted && endpoint !== undefined && slotToken) await releaseSlot(ctx, endpoint, slotToken)
  }
}
