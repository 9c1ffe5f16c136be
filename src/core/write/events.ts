// Records webhook events: the payload is stored as the exact text that will be signed, and one statement creates a
// delivery for every subscribed endpoint.
import { type SQL, sql } from "drizzle-orm"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../../db/schema/central/webhooks"
import { insert, insertSelect, type Write } from "../../db/write"
import { addMs, formatTimestamp, SECOND } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import type { Ctx } from "../context"
import { publishedActor } from "./actor"
import { deliveryId, nextSeq } from "./event-log"
import type { EventPayloads } from "./event-payloads"
import type { EventType, TestEvent } from "./event-types"

/** The API version; changes only when a response or payload changes incompatibly. */
export const API_VERSION = "2026-09-02"

/** An event about to be committed. */
export type EventDraft = {
  [Type in EventType]: EventPayloads[Type] & {
    type: Type
    /** Values that only the batch knows, such as the id of an inserted row: payload path to expression. */
    fill?: Record<`$.${string}`, SQL>
  }
}[EventType]

/** How long work waits for the queue before the every-minute cron takes over, such as a delivery's first attempt. */
export const QUEUE_GRACE_MS = 20 * SECOND

/** The id of the audit entry that the preceding statement inserted. */
const lastEntry: SQL<number> = sql`(select max(id) from audit_entries)`

/**
 * Builds the statements that record an event and create a delivery for every active, enabled and subscribed endpoint.
 * The last one returns the new deliveries.
 * @param log the audit entry's resource without its id, when the event shows it
 */
export function eventWrites(
  ctx: Ctx,
  draft: EventDraft,
  log?: object,
): [Write, Write<{ id: number; endpoint: number }[]>] {
  const id = ulid(ctx.now)
  const payload = serializePayload(ctx, id, draft, log)
  const storeId = "store" in draft.data ? draft.data.store.id : null
  const late = Object.entries({
    ...draft.fill,
    ...(log && { "$.meta.log.id": lastEntry }),
  }).map(([path, value]) => sql`, ${path}, ${value}`)
  return [
    insert(webhookEvents).values({
      seq: nextSeq,
      id,
      type: draft.type,
      storeId,
      isTest: false,
      entryId: lastEntry,
      // The database inserts the values that only the batch knows.
      payload: late.length ? sql`json_set(${payload}${sql.join(late)})` : payload,
      createdAt: ctx.now,
    }),
    createDeliveries({ id, type: draft.type, storeId, now: ctx.now }),
  ]
}

/** Creates a delivery of one event for every subscribed endpoint. */
function createDeliveries(event: {
  id: string
  type: string
  storeId: string | null
  now: Date
}): Write<{ id: number; endpoint: number }[]> {
  const wildcard = `${event.type.split(".")[0]}.*`
  const listens = sql`exists (select 1 from json_each(${webhookEndpoints.events}) where value in ('*', ${wildcard}, ${event.type}))`
  return insertSelect(
    webhookDeliveries,
    {
      id: deliveryId(sql`(select seq from webhook_events where id = ${event.id})`, sql`${webhookEndpoints.id}`),
      endpointId: sql`${webhookEndpoints.id}`,
      eventId: event.id,
      event: event.type,
      storeId: event.storeId,
      attempt: 0,
      status: "pending",
      nextAttemptAt: addMs(event.now, QUEUE_GRACE_MS),
      createdAt: event.now,
      updatedAt: event.now,
      attempts: [],
    },
    sql`from ${webhookEndpoints}
      where ${webhookEndpoints.isActive} = 1 and ${webhookEndpoints.disabledAt} is null and ${listens} and ${matchesStoreFilter(event.storeId)}
      order by ${webhookEndpoints.id}`,
  ).returning({ id: webhookDeliveries.id, endpoint: webhookDeliveries.endpointId })
}

/** Condition that an endpoint's store filter matches; events without a store match only endpoints without a filter. */
const matchesStoreFilter = (storeId: string | null): SQL =>
  sql`(${webhookEndpoints.stores} is null or exists (select 1 from json_each(${webhookEndpoints.storeSeqs})
    where value = (select seq from stores where id = ${storeId})))`

/** The payload of an event, or of a test. */
export interface PayloadDraft {
  type: TestEvent
  data: object
  /** Keys of `meta` in addition to the actor. */
  meta?: object
}

/** Serializes the payload, with keys in the documented order and without empty ones. */
export function serializePayload(ctx: Ctx, id: string, { type, data, meta }: PayloadDraft, log?: object): string {
  return JSON.stringify(
    withoutNulls({
      id,
      type,
      created_at: formatTimestamp(ctx.now),
      api_version: API_VERSION,
      data,
      meta: { actor: publishedActor(ctx.actor), ...meta, log: log && { id: 0, ...log } },
    }),
  )
}

/** Copies a value without keys that are null or undefined, at any depth. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (value === null || typeof value !== "object") return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]))
}
