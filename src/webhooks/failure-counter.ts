// Counts an endpoint's consecutive failures in its Durable Object and replicates the count to the endpoint's row.

import { and, eq, lt } from "drizzle-orm"
import type { EndpointFailures, FailureCount } from "../../durable/endpoint-failures"
import { binding } from "../bindings"
import type { Ctx } from "../core/context"
import { isRejectedByOverload, isTransient } from "../db/errors"
import { webhookEndpoints } from "../db/schema/central/webhooks"
import { update, type Write } from "../db/write"
import { currentMs } from "../lib/clock"
import { callDurable, durableLocation, type Remote } from "../lib/durable"
import { countFault } from "../lib/faults"
import { randomUuid } from "../lib/random"
import { getLeaseMs } from "./lease"
import type { Endpoint } from "./receiving-condition"

/** Concurrent first attempts per endpoint. */
const MAX_IN_FLIGHT = 10

/**
 * Acquires a concurrency slot of an endpoint for a first attempt. Counting the outcome releases it.
 * @returns the slot's token, also if the Durable Object cannot be reached; null if all slots are taken
 */
export async function acquireSlot(ctx: Ctx, endpointId: number): Promise<string | null> {
  const now = currentMs()
  const slotToken = randomUuid()
  try {
    const isAcquired = await callCounter(ctx, endpointId, (endpoint) =>
      endpoint.acquireSlot(slotToken, MAX_IN_FLIGHT, now + getLeaseMs(ctx.settings), now),
    )
    return isAcquired ? slotToken : null
  } catch (cause) {
    ctx.log.error("acquiring a slot of an endpoint failed", cause, { endpoint: endpointId })
    return slotToken
  }
}

/** Releases the slot of an attempt that was not made. Errors are ignored, because the slot expires. */
export const releaseSlot = (ctx: Ctx, endpointId: number, slotToken: string): Promise<unknown> =>
  callCounter(ctx, endpointId, (endpoint) => endpoint.releaseSlot(slotToken)).catch(() => undefined)

/**
 * Counts the outcome of a request to an endpoint, even if its worker is too late to settle the attempt. The call is
 * repeated once after a transient error.
 * @param attempt identifies the attempt, which is counted once
 * @param slotToken the slot of a first attempt, which is released with this call
 * @returns null if the counter cannot be reached; the error is logged, and the delivery is settled without a count
 */
export async function countOutcome(
  ctx: Ctx,
  endpointId: number,
  delivered: boolean,
  now: Date,
  attempt: string,
  slotToken: string | null = null,
): Promise<FailureCount | null> {
  const { TENANCY_WEBHOOK_DISABLE_AFTER: threshold } = ctx.settings
  const count = () =>
    callCounter(ctx, endpointId, (failures) => failures.record(delivered, threshold, now.getTime(), slotToken, attempt))
  try {
    return await count().catch((cause) => {
      // A retry would make an overload worse.
      if (!isTransient(cause) || isRejectedByOverload(cause)) throw cause
      countFault("durable_object")
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
