// Creates test deliveries: a ping or an example of an event, sent to one endpoint regardless of its subscriptions.

import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { commit, WriteConflict, writeUnaudited } from "../core/write/commit"
import { findHome } from "../core/write/delivery-databases"
import { replicateEndpoints } from "../core/write/endpoint-replicas"
import { deliveryId, deliveryIdOf, nextSeq } from "../core/write/event-log"
import { PING, type TestEvent } from "../core/write/event-types"
import { type PayloadDraft, serializePayload } from "../core/write/events"
import { isPaused } from "../core/write/rehoming"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import { insert, insertSelect } from "../db/write"
import { currentMs } from "../lib/clock"
import { ulid } from "../lib/ulid"
import { getLeaseMs } from "./lease"
import { toAuditSiteOf } from "./receiving-condition"
import { deliveryColumns, type ReservedAttempt } from "./reserve"

const PING_MESSAGE = "This is a test of your webhook endpoint."

/** Marks an example, so that no receiver mistakes it for a real event. */
const TEST_META = { test: true }

/**
 * Creates a test event and its delivery with the first attempt already reserved: in one round trip, if the delivery is
 * in the central database.
 * @param type `ping`, or the event to send an example of
 * @returns null if the endpoint does not exist, or while its deliveries move to another database
 */
export async function createTestDelivery(
  ctx: Ctx,
  endpointId: number,
  type: TestEvent = PING,
): Promise<ReservedAttempt | null> {
  const id = ulid(ctx.now)
  const { draft, log } = await buildDraft(ctx, endpointId, type)
  const payload = serializePayload(ctx, id, draft, log)
  const event = { seq: nextSeq, id, type, isTest: true, payload, createdAt: ctx.now }
  const delivery = {
    id: deliveryId(sql`(select seq from webhook_events where id = ${id})`, endpointId),
    endpointId,
    eventId: id,
    event: type,
    attempt: 1,
    status: "pending" as const,
    nextAttemptAt: new Date(currentMs() + getLeaseMs(ctx.settings)),
    createdAt: ctx.now,
    updatedAt: ctx.now,
    attempts: [],
  }
  const home = await findHome(ctx, endpointId)
  const endpoint = sql`from webhook_endpoints where id = ${endpointId} and deleted_at is null
    and not ${isPaused(sql`id`, home.name)}`
  const reads = [
    ctx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId)),
    ctx.db.select({ seq: webhookEvents.seq }).from(webhookEvents).where(eq(webhookEvents.id, id)),
  ] as const
  const change = {
    guard: insertSelect(webhookEvents, event, endpoint),
    auditLog: [{ audit: { subject: "endpoint", action: "tested", id: endpointId, ...toAuditSiteOf(endpointId) } }],
  } as const
  try {
    if (home.isCentral) {
      const creation = insert(webhookDeliveries).values(delivery).returning(deliveryColumns)
      const [[storedEndpoint], , [stored]] = await commit(ctx, { ...change, writes: [...reads, creation] })
      return storedEndpoint && stored ? { endpoint: storedEndpoint, delivery: stored, payload, home } : null
    }
    const [[storedEndpoint], [storedEvent]] = await commit(ctx, { ...change, writes: reads })
    if (!storedEndpoint || !storedEvent) return null
    await replicateEndpoints(ctx, home)
    const values = { ...delivery, id: deliveryIdOf(storedEvent.seq, endpointId) }
    const creation = insertSelect(webhookDeliveries, values, endpoint).returning(deliveryColumns)
    const [[stored]] = await writeUnaudited({ db: home.db }, "audited_elsewhere", [creation])
    return stored ? { endpoint: storedEndpoint, delivery: stored, payload, home } : null
  } catch (cause) {
    if (cause instanceof WriteConflict) return null
    throw cause
  }
}

async function buildDraft(
  ctx: Ctx,
  endpointId: number,
  type: TestEvent,
): Promise<{ draft: PayloadDraft; log?: object }> {
  if (type === PING) return { draft: { type, data: { message: PING_MESSAGE, endpoint_id: endpointId } } }
  // Loaded on demand, because only tests need the examples.
  const { buildExample } = await import("./examples")
  const { data, meta, log } = buildExample(type, ctx.now)
  return { draft: { type, data, meta: { ...meta, ...TEST_META } }, log }
}
