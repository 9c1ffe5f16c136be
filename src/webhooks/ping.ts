// The ping of the test button: an event of its own for one endpoint, whatever that endpoint listens to.
import { eq, sql } from "drizzle-orm"
import { commit, LostRace } from "../core/commit"
import type { Ctx } from "../core/context"
import { freeze } from "../core/events"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import { insert, insertSelect } from "../db/write"
import { ulid } from "../lib/ulid"
import { PING } from "./catalogue"
import { leaseMs, type Reserved } from "./reserve"

const MESSAGE = "This is a test of your webhook endpoint."

/**
 * Opens a ping with its first attempt reserved, in one round trip: nobody but the caller can make that attempt.
 * @returns null when there is no such endpoint; then nothing was written
 */
export async function openPing(ctx: Ctx, endpointId: number): Promise<Reserved | null> {
  const id = ulid(ctx.now)
  const payload = freeze(ctx, id, { type: PING, data: { message: MESSAGE, endpoint_id: endpointId } })
  const endpoint = sql`from webhook_endpoints where id = ${endpointId}`
  const event = { id, type: PING, payload, createdAt: ctx.now }
  const delivery = {
    endpointId,
    eventId: id,
    event: PING,
    attempt: 1,
    status: "pending" as const,
    nextAttemptAt: new Date(Date.now() + leaseMs(ctx.settings)),
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
  try {
    const [endpoints, deliveries] = await commit(ctx, {
      guard: insertSelect(webhookEvents, event, endpoint),
      writes: [
        ctx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId)),
        insert(webhookDeliveries).values(delivery).returning(),
      ],
      trail: [{ audit: { subject: "endpoint", deed: "tested", id: endpointId } }],
    })
    const [found] = endpoints
    const [opened] = deliveries
    return found && opened ? { endpoint: found, delivery: opened, payload } : null
  } catch (cause) {
    if (cause instanceof LostRace) return null
    throw cause
  }
}
