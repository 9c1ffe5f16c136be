// Records webhook events. The payload is stored as the exact text that will be signed.
import { type SQL, sql } from "drizzle-orm"
import { compressedJson } from "../../db/compressed-text"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { insert, type Write } from "../../db/write"
import { formatTimestamp, SECOND } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import type { Ctx } from "../context"
import { publishedActor } from "./actor"
import { nextSeq } from "./event-log"
import type { EventPayloads } from "./event-payloads"
import { type EventType, isShopEvent, type TestEvent } from "./event-types"

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
 * Builds the write that records an event. The router creates its deliveries (event-router.ts).
 * @param log the audit entry's resource without its id, when the event shows it
 */
export function eventWrite(ctx: Ctx, draft: EventDraft, log?: object): Write {
  const id = ulid(ctx.now)
  const { data } = draft
  // Events about the endpoints and deliveries of a store are among that store's events.
  const isAboutEndpoint = "endpoint" in data
  const storeId = "store" in data ? data.store.id : isAboutEndpoint ? data.endpoint.store_id : null
  const hasStoreSeq = storeId !== null && (isAboutEndpoint || isShopEvent(draft.type))
  const late = { ...draft.fill, ...(log && { "$.meta.log.id": lastEntry }) }
  return insert(webhookEvents).values({
    seq: nextSeq,
    id,
    type: draft.type,
    storeId,
    storeSeq: hasStoreSeq ? sql`(select seq from stores where id = ${storeId})` : null,
    isTest: false,
    entryId: lastEntry,
    payload: compressedJson(buildPayload(ctx, id, draft, log), late, id),
    createdAt: ctx.now,
  })
}

/** The payload of an event, or of a test. */
export interface PayloadDraft {
  type: TestEvent
  data: object
  /** Keys of `meta` in addition to the actor. */
  meta?: object
}

/** Serializes the payload, with keys in the documented order and without empty ones. */
export const serializePayload = (ctx: Ctx, id: string, draft: PayloadDraft, log?: object): string =>
  JSON.stringify(buildPayload(ctx, id, draft, log))

const buildPayload = (ctx: Ctx, id: string, { type, data, meta }: PayloadDraft, log?: object): object => ({
  id,
  type,
  created_at: formatTimestamp(ctx.now),
  api_version: API_VERSION,
  // Events of shops contain resources as the content API shows them, with nulls.
  data: isShopEvent(type) ? data : withoutNulls(data),
  meta: withoutNulls({ actor: publishedActor(ctx.actor), ...meta, log: log && { id: 0, ...log } }),
})

/** Copies a value without keys that are null or undefined, at any depth. */
function withoutNulls<Value>(value: Value): Value
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => withoutNulls(inner))
  if (value === null || typeof value !== "object") return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]))
}
