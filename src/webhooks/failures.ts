// An endpoint's run of failures: counted by its Durable Object, mirrored on its row in the order in which it was counted.
import { and, eq, lt } from "drizzle-orm"
import type { EndpointFailures, FailureCount } from "../../durable/endpoint-failures"
import type { Ctx } from "../core/context"
import { batch, type Statement } from "../db/client"
import { webhookEndpoints } from "../db/schema/central/webhooks"
import { callDurable } from "../lib/durable"

type Endpoint = typeof webhookEndpoints.$inferSelect

/** Counts how an attempt ended, and switches the endpoint off when it was one failure too many. */
export async function recordOutcome(ctx: Ctx, endpoint: Endpoint, delivered: boolean): Promise<void> {
  const now = new Date()
  const threshold = ctx.settings.TENANCY_WEBHOOK_DISABLE_AFTER
  try {
    const count = await callDurable<EndpointFailures, FailureCount>(
      ctx.env.ENDPOINT_FAILURES,
      objectName(endpoint.id),
      (failures) => failures.record(delivered, threshold, now.getTime()),
    )
    await batch(ctx.db, [
      ctx.db
        .update(webhookEndpoints)
        .set(delivered ? { lastSuccessAt: now } : { lastFailureAt: now })
        .where(eq(webhookEndpoints.id, endpoint.id)),
      mirror(ctx, endpoint.id, count),
    ])
    if (count.disabledNow) ctx.log.warn("webhook endpoint switched off", { endpoint: endpoint.id })
  } catch (cause) {
    // The delivery itself is settled; a counter that cannot be reached must not make it look unsettled.
    ctx.log.error("the failure counter could not be reached", cause, { endpoint: endpoint.id })
  }
}

/** Forgets the run, because the operator switched the endpoint on again. */
export const clearFailures = (ctx: Ctx, endpointId: number): Promise<FailureCount> =>
  callDurable<EndpointFailures, FailureCount>(ctx.env.ENDPOINT_FAILURES, objectName(endpointId), (failures) =>
    failures.clear(),
  )

/** The statement that puts a count on the endpoint's row, unless a newer one is there. */
export const mirror = (ctx: Ctx, endpointId: number, count: FailureCount): Statement =>
  ctx.db
    .update(webhookEndpoints)
    .set({
      consecutiveFailures: count.failures,
      disabledAt: count.disabledAt === null ? null : new Date(count.disabledAt),
      failureSeq: count.seq,
    })
    .where(and(eq(webhookEndpoints.id, endpointId), lt(webhookEndpoints.failureSeq, count.seq)))

const objectName = (endpointId: number) => `endpoint:${endpointId}`
