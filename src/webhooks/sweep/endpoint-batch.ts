// Attempts an endpoint batch: the due deliveries of one endpoint, in one queue message, so that each endpoint has its
// own invocation and connections. It starts with one attempt and runs more in parallel once the endpoint has
// responded, so a hanging endpoint delays only its own batch.

import type { Ctx } from "../../core/context"
import type { EndpointBatch } from "../../core/queue/messages"
import { sendMessage } from "../../core/queue/send"
import { SECOND } from "../../lib/time"
import { attemptDelivery } from "../attempt"
import { takeFromRateLimit } from "../failure-counter"
import type { Delivery } from "../reserve"
import { TIMEOUT_ERROR } from "../send"
import { completeEndpointBatch, extendEndpointLock } from "./due"

/** Parallel attempts of an endpoint once it has responded. */
const MAX_CONCURRENCY = 3

/** Deliveries attempted per invocation, within its limits of queries and subrequests. */
const MAX_DELIVERIES_PER_INVOCATION = 50

/**
 * Time that an invocation waits for a receiver before it continues in the background, so that it does not block the
 * queue's consumer.
 */
const INLINE_WAIT_MS = SECOND

/** The delay of a batch beyond its endpoint's rate limit: in a second, the bucket is full again. */
const RATE_LIMIT_DELAY_SECONDS = 1

/**
 * Attempts the deliveries of a batch, as many as an invocation may, and enqueues the rest. Once the endpoint is slow,
 * no further attempt starts until it has responded. A timeout ends the batch: the remaining deliveries are due again
 * when their lease expires, and the endpoint stays locked until then.
 */
export async function runEndpointBatch(ctx: Ctx, batch: EndpointBatch): Promise<void> {
  const lease = new Date(batch.lease)
  const maxAttempts = Math.min(batch.deliveries.length, MAX_DELIVERIES_PER_INVOCATION)
  const size = batch.rate ? await takeFromRateLimit(ctx, batch.endpoint, maxAttempts, batch.rate) : maxAttempts
  const queue = batch.deliveries.slice(0, size)
  const rest = batch.deliveries.slice(size)
  const slow: Promise<Delivery | null>[] = []
  let hasTimedOut = false
  const attemptNext = async (): Promise<boolean> => {
    const id = hasTimedOut || slow.length ? undefined : queue.shift()
    if (id === undefined) return false
    const attempt = tryAttempt(ctx, id, lease)
    const result = await Promise.race([attempt, scheduler.wait(INLINE_WAIT_MS).then(() => "slow" as const)])
    if (result === "slow") slow.push(attempt)
    else if (result?.error === TIMEOUT_ERROR) hasTimedOut = true
    return true
  }
  const work = async () => {
    while (await attemptNext());
  }
  await attemptNext()
  await Promise.all(Array.from({ length: MAX_CONCURRENCY }, work))
  const enqueueRest = async () => {
    const results = await Promise.all(slow)
    const deliveries = [...queue, ...rest]
    if (hasTimedOut || results.some((delivery) => delivery?.error === TIMEOUT_ERROR)) return
    const next = deliveries.length
      ? await extendEndpointLock(ctx, { ...batch, deliveries })
      : await completeEndpointBatch(ctx, batch)
    // The rest of a limited batch waits for the bucket to be refilled.
    if (next) await sendMessage(ctx, { lane: next }, size < maxAttempts ? RATE_LIMIT_DELAY_SECONDS : undefined)
  }
  if (slow.length) ctx.inBackground(enqueueRest())
  else await enqueueRest()
}

/** An error of the platform ends one attempt, not the batch; the delivery is due again when its lease expires. */
async function tryAttempt(ctx: Ctx, id: number, lease: Date) {
  try {
    return await attemptDelivery(ctx, id, lease)
  } catch (cause) {
    ctx.log.error("attempt failed with an internal error", cause, { delivery: id })
    return null
  }
}
