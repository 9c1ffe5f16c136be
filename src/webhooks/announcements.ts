// Announces what happens to endpoints and their deliveries as events: that an endpoint is failing, that it works again,
// and that a delivery is exhausted. disabled-mail.ts announces that one was disabled.
import { and, eq, isNull, sql } from "drizzle-orm"
import type { FailureCount } from "../../durable/endpoint-failures"
import type { Ctx } from "../core/context"
import { SYSTEM } from "../core/write/actor"
import { applyChange, commit } from "../core/write/commit"
import { isDeliveryEvent } from "../core/write/event-types"
import { webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import { update } from "../db/write"
import { deliveryResource } from "./deliveries/schemas"
import { DISABLED_LEVEL, notifyDisabledEndpoints } from "./disabled-mail"
import { endpointResource } from "./endpoints/schemas"
import { type Endpoint, isReceiving, toAuditSite } from "./receiving-condition"
import type { Delivery } from "./reserve"

/**
 * Returns the numbers of consecutive failures at which an endpoint is announced as failing: half of those that disable
 * it, and four fifths.
 */
const getFailingSteps = (disableAfter: number): number[] =>
  [Math.ceil(disableAfter / 2), Math.ceil((disableAfter * 4) / 5)].filter((failures) => failures < disableAfter)

/** Returns how many steps a number of failures has reached. */
const getLevel = (failures: number, disableAfter: number): number =>
  getFailingSteps(disableAfter).filter((step) => failures >= step).length

/** The announced level of the current failures. Failures before an endpoint was enabled again do not count. */
const getAnnouncedLevel = (endpoint: Endpoint): number =>
  endpoint.failureLevel === DISABLED_LEVEL && isReceiving(endpoint) ? 0 : endpoint.failureLevel

/**
 * Announces what the outcome of attempts means for their endpoint, in the background. Does nothing after a success
 * unless failures were announced before.
 * @param endpoint as read when the attempts started
 * @param delivered whether all succeeded
 * @param count the failure counter afterwards; null if it is not known
 */
export function announceOutcome(ctx: Ctx, endpoint: Endpoint, delivered: boolean, count: FailureCount | null): void {
  const { TENANCY_WEBHOOK_DISABLE_AFTER: disableAfter } = ctx.settings
  if (count?.disabledNow) ctx.inBackground(notifyDisabledEndpoints(ctx))
  if (delivered) {
    if (endpoint.failureLevel > 0) ctx.inBackground(announceRecovered(ctx, endpoint.id))
  } else if (count && getLevel(count.failures, disableAfter) > getAnnouncedLevel(endpoint))
    ctx.inBackground(announceFailing(ctx, endpoint.id, count.failures))
}

async function announceFailing(ctx: Ctx, id: number, failures: number): Promise<void> {
  const { TENANCY_WEBHOOK_DISABLE_AFTER: disableAfter } = ctx.settings
  const level = getLevel(failures, disableAfter)
  await changeLevel(ctx, id, (endpoint) => {
    const announced = getAnnouncedLevel(endpoint)
    const steps = getFailingSteps(disableAfter).slice(announced, level)
    const [first, ...others] = steps.map((step) => ({
      audit: {
        subject: "endpoint",
        action: "failing",
        id,
        data: { failures: step },
        ...toAuditSite(endpoint),
      } as const,
      events: [
        {
          type: "endpoint.failing" as const,
          data: {
            endpoint: endpointResource({ ...endpoint, consecutiveFailures: failures, lastSuccessAt: null }),
            failures: step,
            disabled_after: disableAfter,
          },
        },
      ],
    }))
    return first && { level, auditLog: [first, ...others] as const }
  })
}

async function announceRecovered(ctx: Ctx, id: number): Promise<void> {
  await changeLevel(ctx, id, (endpoint) =>
    endpoint.failureLevel === 0 || !isReceiving(endpoint)
      ? undefined
      : {
          level: 0,
          auditLog: [
            {
              audit: { subject: "endpoint", action: "delivering", id, ...toAuditSite(endpoint) },
              events: [
                {
                  type: "endpoint.recovered",
                  data: { endpoint: endpointResource({ ...endpoint, consecutiveFailures: 0, lastSuccessAt: ctx.now }) },
                },
              ],
            },
          ],
        },
  )
}

type Announcement = { level: number; auditLog: Parameters<typeof commit>[1]["auditLog"] }

/**
 * Changes an endpoint's `failureLevel` with the events that announce it.
 * @param decide returns the change; undefined if it was announced already
 */
const changeLevel = (ctx: Ctx, id: number, decide: (endpoint: Endpoint) => Announcement | undefined): Promise<void> =>
  applyChange(
    { ...ctx, actor: SYSTEM },
    async () => {
      const [endpoint] = await ctx.db
        .select()
        .from(webhookEndpoints)
        .where(and(eq(webhookEndpoints.id, id), isNull(webhookEndpoints.deletedAt)))
      return endpoint
    },
    (endpoint) => {
      const announcement = endpoint && decide(endpoint)
      if (!announcement) return { result: undefined }
      const { level, auditLog } = announcement
      const guard = update(webhookEndpoints)
        .set({ failureLevel: level })
        .where(
          sql`${webhookEndpoints.id} = ${id} and ${webhookEndpoints.failureLevel} = ${endpoint.failureLevel}
            and ${webhookEndpoints.deletedAt} is null`,
        )
      return { result: undefined, change: { guard, auditLog } }
    },
  )

/**
 * Announces exhausted deliveries, in the background. Deliveries of tests and of the events of this module are not
 * announced.
 * @param exhausted as they are after their last attempt
 */
export function announceExhausted(ctx: Ctx, exhausted: readonly { delivery: Delivery; endpoint: Endpoint }[]): void {
  // lint: each exhausted delivery is announced in its own transaction
  for (const { delivery, endpoint } of exhausted)
    if (!isDeliveryEvent(delivery.event)) ctx.inBackground(announceExhaustedDelivery(ctx, delivery, endpoint))
}

async function announceExhaustedDelivery(ctx: Ctx, delivery: Delivery, endpoint: Endpoint): Promise<void> {
  const [event] = await ctx.db
    .select({ isTest: webhookEvents.isTest })
    .from(webhookEvents)
    .where(eq(webhookEvents.id, delivery.eventId))
  if (event?.isTest) return
  const data = {
    endpoint: endpointResource({ ...endpoint, lastSuccessAt: null }),
    delivery: deliveryResource(delivery, "en"),
  }
  const audit = { subject: "delivery", action: "exhausted", id: delivery.id, ...toAuditSite(endpoint) } as const
  await commit({ ...ctx, actor: SYSTEM }, { auditLog: [{ audit, events: [{ type: "delivery.exhausted", data }] }] })
}
