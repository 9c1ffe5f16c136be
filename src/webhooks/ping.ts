// The test button: a ping, or an example of an event, for one endpoint, whatever that endpoint listens to.
import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { commit, WriteConflict } from "../core/write/commit"
import { deliveryId, nextSeq } from "../core/write/event-log"
import { PING, type TestEvent } from "../core/write/event-types"
import { type EventDraft, freeze } from "../core/write/events"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import { insert, insertSelect } from "../db/write"
import { ulid } from "../lib/ulid"
import { leaseMs } from "./lease"
import { deliveryColumns, type Reserved } from "./reserve"

const MESSAGE = "This is a test of your webhook endpoint."

/** What an example says of itself, so that nobody takes it for something that happened. */
const TEST = { test: true }

/**
 * Opens a test with its first attempt reserved, in one round trip: nobody but the caller can make that attempt.
 * @param type the event to make an example of; a ping says no more than that it came
 * @returns null when there is no such endpoint; then nothing was written
 */
export async function openTest(ctx: Ctx, endpointId: number, type: TestEvent = PING): Promise<Reserved | null> {
  const id = ulid(ctx.now)
  const { draft, log } = await draftOf(ctx, endpointId, type)
  const payload = freeze(ctx, id, draft, log)
  const endpoint = sql`from webhook_endpoints where id = ${endpointId} and deleted_at is null`
  const event = { seq: nextSeq, id, type, isTest: true, payload, createdAt: ctx.now }
  const delivery = {
    id: deliveryId(sql`(select seq from webhook_events where id = ${id})`, endpointId),
    endpointId,
    eventId: id,
    event: type,
    attempt: 1,
    status: "pending" as const,
    nextAttemptAt: new Date(Date.now() + leaseMs(ctx.settings)),
    createdAt: ctx.now,
    updatedAt: ctx.now,
    attempts: [],
  }
  try {
    const [endpoints, deliveries] = await commit(ctx, {
      guard: insertSelect(webhookEvents, event, endpoint),
      writes: [
        ctx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId)),
        insert(webhookDeliveries).values(delivery).returning(deliveryColumns),
      ],
      trail: [{ audit: { subject: "endpoint", deed: "tested", id: endpointId } }],
    })
    const [found] = endpoints
    const [opened] = deliveries
    return found && opened ? { endpoint: found, delivery: opened, payload } : null
  } catch (cause) {
    if (cause instanceof WriteConflict) return null
    throw cause
  }
}

async function draftOf(
  ctx: Ctx,
  endpointId: number,
  type: TestEvent,
): Promise<{ draft: EventDraft; log?: Record<string, unknown> }> {
  if (type === PING) return { draft: { type, data: { message: MESSAGE, endpoint_id: endpointId } } }
  // Loaded when somebody asks for one.
  const { exampleOf } = await import("./examples")
  const { data, meta, log } = exampleOf(type, ctx.now)
  return { draft: { type, data, meta: { ...meta, ...TEST } }, log }
}
