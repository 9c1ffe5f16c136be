// Counts an endpoint's consecutive failures in its Durable Object and replicates the count to the endpoint's row.

import { and, eq, lt } from "drizzle-orm"
import type { AttemptOutcome, EndpointFailures, FailureCount } from "../../durable/endpoint-failures"
import { binding } from "../bindings"
import type { Ctx } from "../core/context"
import { isRejectedByOverload, isTransient } from "../db/errors"
import { webhookEndpoints } from "../db/schema/central/webhooks"
import { update, type Write } from "../db/write"
import { currentMs } from "../lib/clock"
import { callDurable, durableLocation, type Remote } from "../lib/durable"
import { randomUuid } from "../lib/random"
import { SECOND } from "../lib/time"
import { countTransientError } from "../lib/transient-errors"
import { getLeaseMs } from "./lease"
import type { Endpoint } from "./receiving-condition"

/** A success that takes less adds a slot. */
const FAST_MS = SECOND

/**
 * Acquires concurrency slots of an endpoint for first attempts. Counting an outcome releases its slot.
 * @param attempts the number of attempts
 * @param maxPerSecond the endpoint's rate limit; null for none
 * @returns the tokens of the slots, fewer than requested if the others are taken or the rate limit is reached; all if
 *   the Durable Object cannot be reached
 */
export async function acquireSlots(
  ctx: Ctx,
  endpointId: number,
  attempts: number,
  maxPerSecond: number | null,
): Promise<string[]> {
  const now = currentMs()
  const tokens = Array.from({ length: attempts }, randomUuid)
  try {
    const acquired = await callCounter(ctx, endpointId, (endpoint) =>
      endpoint.acquireSlots(tokens, now + getLeaseMs(ctx.settings), now, maxPerSecond),
    )
    return tokens.slice(0, acquired)
  } catch (cause) {
    ctx.log.error("acquiring slots of an endpoint failed", cause, { endpoint: endpointId })
    return tokens
  }
}

/**
 * Takes attempts from an endpoint's rate limit. They need no concurrency slots.
 * @returns how many of these attempts may be made now; all if the Durable Object cannot be reached
 */
export async function takeFromRateLimit(
  ctx: Ctx,
  endpointId: number,
  attempts: number,
  maxPerSecond: number,
): Promise<number> {
  try {
    return await callCounter(ctx, endpointId, (endpoint) =>
      endpoint.takeFromBucket(attempts, maxPerSecond, currentMs()),
    )
  } catch (cause) {
    ctx.log.error("the rate limit of an endpoint could not be reached", cause, { endpoint: endpointId })
    return attempts
  }
}

/** Releases the slots of attempts that were not made. Errors are ignored, because slots expire. */
export const releaseSlots = (ctx: Ctx, endpointId: number, tokens: string[]): Promise<unknown> =>
  callCounter(ctx, endpointId, (endpoint) => endpoint.releaseSlots(tokens)).catch(() => undefined)

/** An attempt that was made, as far as its endpoint counts it. */
export interface CountedAttempt {
  /** Identifies the attempt, which is counted once. */
  attempt: string
  delivered: boolean
  /** Whether the receiver responded that it is gone, which disables the endpoint. */
  isGone: boolean
  /** The slot of a first attempt, which is released. */
  slotToken?: string | undefined
  durationMs: number
}

/**
 * Counts attempts of an endpoint in their order, even if their worker is too late to settle them. The call is repeated
 * once after a transient error.
 * @returns null if the counter cannot be reached; the error is logged, and the deliveries are settled without a count
 */
export async function countAttempts(
  ctx: Ctx,
  endpointId: number,
  attempts: readonly CountedAttempt[],
  now: Date,
): Promise<FailureCount | null> {
  const { TENANCY_WEBHOOK_DISABLE_AFTER: threshold } = ctx.settings
  const outcomes = attempts.map(
    ({ attempt, delivered, isGone, slotToken = null, durationMs }): AttemptOutcome => ({
      delivered,
      isGone,
      slotToken,
      attempt,
      isFast: delivered && durationMs < FAST_MS,
    }),
  )
  const count = () => callCounter(ctx, endpointId, (failures) => failures.recordAll(outcomes, threshold, now.getTime()))
  try {
    return await count().catch((cause) => {
      // A retry would make an overload worse.
      if (!isTransient(cause) || isRejectedByOverload(cause)) throw cause
      countTransientError("durable_object")
      return count()
    })
  } catch (cause) {
    ctx.log.error("the failure counter could not be reached", cause, { endpoint: endpointId })
    return null
  }
}

/**
 * Builds the writes that bring an outcome to the endpoint's row; empty for most successes.
 * @param endpoint as read when the attempt started
 */
export const buildOutcomeWrites = (
  { id, failureSeq }: Pick<Endpoint, "id" | "failureSeq">,
  delivered: boolean,
  count: FailureCount | null,
  now: Date,
): Write[] => [
  ...(delivered ? [] : [update(webhookEndpoints).set({ lastFailureAt: now }).where(eq(webhookEndpoints.id, id))]),
  ...(count && count.seq > failureSeq ? [buildCountWrite(id, count)] : []),
]

/** The columns of the endpoint's row that replicate a count. */
export const toEndpointColumns = (count: FailureCount) => ({
  consecutiveFailures: count.failures,
  disabledAt: count.disabledAt === null ? null : new Date(count.disabledAt),
  disabledReason: count.disabledAt === null ? null : (count.disabledReason ?? ("failures" as const)),
  failureSeq: count.seq,
})

/** Builds the write that replicates a count to the endpoint's row, unless the row has a newer one. */
export const buildCountWrite = (endpointId: number, count: FailureCount): Write =>
  update(webhookEndpoints)
    .set(toEndpointColumns(count))
    .where(and(eq(webhookEndpoints.id, endpointId), lt(webhookEndpoints.failureSeq, count.seq)))

/** Resets the count when an operator re-enables the endpoint. */
export const resetFailures = (ctx: Ctx, endpointId: number): Promise<FailureCount> =>
  callCounter(ctx, endpointId, (failures) => failures.clear())

/** Deletes the counter of a deleted endpoint. */
export const deleteFailureCounter = (ctx: Ctx, endpointId: number): Promise<null> =>
  callCounter(ctx, endpointId, (failures) => failures.deleteState())

const callCounter = <R>(ctx: Ctx, endpointId: number, call: (counter: Remote<EndpointFailures>) => Promise<R>) =>
  callDurable<EndpointFailures, R>(
    binding(ctx.env, "ENDPOINT_FAILURES"),
    `endpoint:${endpointId}`,
    call,
    durableLocation(ctx.settings),
  )
