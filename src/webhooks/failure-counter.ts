// An endpoint's run of failures: counted by its Durable Object, mirrored on its row in the order in which it was counted.
import { and, eq, lt } from "drizzle-orm"
import type { EndpointFailures, FailureCount } from "../../durable/endpoint-failures"
import type { Ctx } from "../core/context"
import { webhookEndpoints } from "../db/schema/central/webhooks"
import { update, type Write } from "../db/write"
import { callDurable } from "../lib/durable"
import { leaseMs } from "./lease"
import type { Endpoint } from "./receiving-condition"

/** First attempts that an endpoint gets at a time. */
const MOST = 10

/**
 * Takes a place at an endpoint for a first attempt, until its outcome is counted.
 * @returns the place, also where its object cannot be reached; null when the endpoint has enough to do
 */
export async function enterEndpoint(ctx: Ctx, endpointId: number): Promise<string | null> {
  const now = Date.now()
  const place = crypto.randomUUID()
  try {
    const hasRoom = await callDurable<EndpointFailures, boolean>(
      ctx.env.ENDPOINT_FAILURES,
      objectName(endpointId),
      (endpoint) => endpoint.begin(place, MOST, now + leaseMs(ctx.settings), now),
    )
    return hasRoom ? place : null
  } catch (cause) {
    ctx.log.error("an endpoint's places could not be asked for", cause, { endpoint: endpointId })
    return place
  }
}

/** Gives a place back whose attempt was not made; in silence when that fails, because it ends by itself. */
export const releaseEndpoint = (ctx: Ctx, endpointId: number, place: string): Promise<unknown> =>
  callDurable<EndpointFailures, null>(ctx.env.ENDPOINT_FAILURES, objectName(endpointId), (endpoint) =>
    endpoint.release(place),
  ).catch(() => undefined)

/**
 * Counts how a request to an endpoint ended. Every request counts, one whose worker comes too late to settle as well.
 * @param place what a first attempt holds, and gives back with this
 * @returns null when the counter cannot be reached: that is logged, and must not keep the delivery from being settled
 */
export async function countOutcome(
  ctx: Ctx,
  endpointId: number,
  delivered: boolean,
  now: Date,
  place?: string,
): Promise<FailureCount | null> {
  try {
    return await callDurable<EndpointFailures, FailureCount>(
      ctx.env.ENDPOINT_FAILURES,
      objectName(endpointId),
      (failures) =>
        failures.record(delivered, ctx.settings.TENANCY_WEBHOOK_DISABLE_AFTER, now.getTime(), place ?? null),
    )
  } catch (cause) {
    ctx.log.error("the failure counter could not be reached", cause, { endpoint: endpointId })
    return null
  }
}

/**
 * The statements that put a failure, and the count after an outcome, on the endpoint's row; most successes change nothing there.
 * @param endpoint as it was read when the attempt began
 */
export const outcomeWrites = (
  { id, failureSeq }: Pick<Endpoint, "id" | "failureSeq">,
  delivered: boolean,
  count: FailureCount | null,
  now: Date,
): Write[] => [
  ...(delivered ? [] : [update(webhookEndpoints).set({ lastFailureAt: now }).where(eq(webhookEndpoints.id, id))]),
  ...(count && count.seq > failureSeq ? [mirror(id, count)] : []),
]

/** A count as the endpoint's row holds it. */
export const mirrored = (count: FailureCount) => ({
  consecutiveFailures: count.failures,
  disabledAt: count.disabledAt === null ? null : new Date(count.disabledAt),
  failureSeq: count.seq,
})

/** The write that puts a count on the endpoint's row, unless a newer one is there. */
export const mirror = (endpointId: number, count: FailureCount): Write =>
  update(webhookEndpoints)
    .set(mirrored(count))
    .where(and(eq(webhookEndpoints.id, endpointId), lt(webhookEndpoints.failureSeq, count.seq)))

/** Forgets the run, because the operator switched the endpoint on again. */
export const clearFailures = (ctx: Ctx, endpointId: number): Promise<FailureCount> =>
  callDurable<EndpointFailures, FailureCount>(ctx.env.ENDPOINT_FAILURES, objectName(endpointId), (failures) =>
    failures.clear(),
  )

/** Leaves nothing behind of an endpoint that was deleted. */
export const forgetFailures = (ctx: Ctx, endpointId: number): Promise<null> =>
  callDurable<EndpointFailures, null>(ctx.env.ENDPOINT_FAILURES, objectName(endpointId), (failures) =>
    failures.forget(),
  )

const objectName = (endpointId: number) => `endpoint:${endpointId}`
