// Events: frozen as the exact text that will be signed, and handed to every endpoint that listens, in one statement each.
import { type SQL, sql } from "drizzle-orm"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../../db/schema/central/webhooks"
import { insert, insertSelect, type Write } from "../../db/write"
import { later, SECOND, timestamp } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import type { Ctx } from "../context"
import { publishedActor } from "./actor"
import { deliveryId, nextSeq } from "./event-log"

/** The version of everything a client can see; changes only when an answer or a payload breaks its shape. */
export const API_VERSION = "2026-09-02"

/** An event about to be committed. */
export interface EventDraft {
  /** `<resource>.<what happened>`. */
  type: string
  /** The store it is about, as `GET /stores/{id}` shows it once the change is made. */
  store?: { id: string }
  /** The event's own keys beside `store`. */
  data?: Record<string, unknown>
  /** What stands in `meta` beside the actor. */
  meta?: Record<string, unknown>
  /** Whether `meta.log` shows the audit entry it is committed with. */
  withLog?: boolean
  /** Values that exist only inside the batch, such as the id of a row it inserts: a path in the payload, an expression. */
  fill?: Record<`$.${string}`, SQL>
}

/** How long work waits for the queue before the cron of every minute does it instead, such as a delivery's first attempt. */
export const QUEUE_GRACE = 20 * SECOND

/** The entry of the trail that the statement before these inserted. */
const lastEntry: SQL<number> = sql`(select max(id) from audit_entries)`

/**
 * The statements that record an event and open a delivery for each endpoint that is active, receiving and subscribed.
 * The last of them answers the new deliveries' ids.
 * @param log the audit entry's resource without its id, when the event shows it
 */
export function eventWrites(
  ctx: Ctx,
  draft: EventDraft,
  log?: Record<string, unknown>,
): [Write, Write<{ id: number; endpoint: number }[]>] {
  const id = ulid(ctx.now)
  const payload = freeze(ctx, id, draft, log)
  const storeId = draft.store?.id ?? null
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
      // What exists only inside the batch the database itself puts into the text.
      payload: late.length ? sql`json_set(${payload}${sql.join(late)})` : payload,
      createdAt: ctx.now,
    }),
    fanOut({ id, type: draft.type, storeId, now: ctx.now }),
  ]
}

/** Opens a delivery of one event for every endpoint that listens to it. */
function fanOut(event: {
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
      nextAttemptAt: later(event.now, QUEUE_GRACE),
      createdAt: event.now,
      updatedAt: event.now,
      attempts: [],
    },
    sql`from ${webhookEndpoints}
      where ${webhookEndpoints.isActive} = 1 and ${webhookEndpoints.disabledAt} is null and ${listens} and ${concerns(event.storeId)}
      order by ${webhookEndpoints.id}`,
  ).returning({ id: webhookDeliveries.id, endpoint: webhookDeliveries.endpointId })
}

/** Whether an endpoint's filter lets the events of a store pass; those about none go where there is no filter. */
const concerns = (storeId: string | null): SQL =>
  sql`(${webhookEndpoints.stores} is null or exists (select 1 from json_each(${webhookEndpoints.storeSeqs})
    where value = (select seq from stores where id = ${storeId})))`

/** The payload's text: its keys in the documented order, those without a value left out. */
export function freeze(ctx: Ctx, id: string, draft: EventDraft, log?: Record<string, unknown>): string {
  return JSON.stringify(
    withoutNulls({
      id,
      type: draft.type,
      created_at: timestamp(ctx.now),
      api_version: API_VERSION,
      data: { store: draft.store, ...draft.data },
      meta: { actor: publishedActor(ctx.actor), ...draft.meta, log: log && { id: 0, ...log } },
    }),
  )
}

/** A copy without the keys, at any depth, whose value is null or undefined. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (value === null || typeof value !== "object") return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]))
}
