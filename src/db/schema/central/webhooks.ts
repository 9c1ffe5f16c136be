// Outbound webhooks: who listens, what was said, and how each telling went.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, json, moment } from "../columns"

export type DeliveryStatus = "pending" | "delivered" | "failed" | "exhausted"

/** Events that are sent again, or for the first time, in their order. */
export interface Recovery {
  mode: "failed" | "missed" | "all"
  /** Moments, in milliseconds since 1970, between which the events happened. */
  since: number
  until: number
  /** The only events that are meant; null for all that the endpoint listens to. */
  events: string[] | null
  /** How many there were to begin with, and what became of them. */
  queued: number
  done: number
  failed: number
  /** The `seq` of the event that was handled last, and of the last that is to be handled. */
  after: number
  last: number
}

export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    url: text("url").notNull(),
    /** Event names, `<resource>.*`, or `*`. */
    events: json<string[]>("events").notNull(),
    description: text("description"),
    /** Only events about these stores; null for all, and for those about none. */
    stores: json<string[]>("stores"),
    /** The incarnations (`stores.seq`) that those ids meant when the filter was saved. Events match these, not the ids. */
    storeSeqs: json<number[]>("store_seqs"),
    /** The signing secret under the application's key. */
    secret: text("secret").notNull(),
    /** The one before it, which signs beside it until then. */
    previousSecret: text("previous_secret"),
    previousSecretUntil: moment("previous_secret_until"),
    /** The last recovery, under way or done; null when there was none. */
    recovery: json<Recovery>("recovery"),
    /** The operator's switch. */
    isActive: flag("is_active").notNull(),
    /** When a run of failures switched it off; null while it receives. */
    disabledAt: moment("disabled_at"),
    /** The `disabledAt` that the operators were told of. */
    noticedAt: moment("noticed_at"),
    consecutiveFailures: integer("consecutive_failures").notNull(),
    /** Which answer of the failure counter `disabledAt` and `consecutiveFailures` mirror, so that an older one cannot overwrite it. */
    failureSeq: integer("failure_seq").notNull(),
    lastFailureAt: moment("last_failure_at"),
    /** Until when the lane under way at it holds it: the cron gives it one at a time. Null when there is none. */
    laneUntil: moment("lane_until"),
    createdByName: text("created_by_name").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
    /** When it was deleted: nobody sees it any more, and its row goes once its deliveries are gone. */
    deletedAt: moment("deleted_at"),
  },
  (t) => [
    index("webhook_endpoints_deleted").on(t.deletedAt).where(sql`deleted_at is not null`),
    index("webhook_endpoints_disabled").on(t.disabledAt).where(sql`disabled_at is not null`),
  ],
)

/** One attempt as its delivery keeps it. */
export interface RecordedAttempt {
  /** From 1. */
  number: number
  kind: "first" | "retry" | "manual"
  /** Milliseconds since 1970. */
  startedAt: number
  durationMs: number
  responseStatus: number | null
  error: string | null
}

export const webhookEvents = sqliteTable(
  "webhook_events",
  {
    /** Its place in the order of commits. */
    seq: integer("seq").primaryKey(),
    /** ULID; the payload's `id`. */
    id: text("id").notNull(),
    type: text("type").notNull(),
    storeId: text("store_id"),
    /** Pings and examples: no events of the feed. */
    isTest: flag("is_test").notNull(),
    /** The exact text that is signed and sent. */
    payload: text("payload").notNull(),
    /** The entry of the trail that it was committed with. */
    entryId: integer("entry_id"),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("webhook_events_id").on(t.id),
    index("webhook_events_store").on(t.storeId, t.seq).where(sql`store_id is not null`),
  ],
)

/**
 * What every index here costs: a row written when a delivery is opened, and one more whenever a column of it is assigned. Four
 * are read all the time; what is asked more rarely is answered from them.
 */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    /** The event's `seq` × MAX_ENDPOINTS_PER_EVENT + the endpoint's id: it leads to both without an index, and is never given twice. */
    id: integer("id").primaryKey(),
    endpointId: integer("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    eventId: text("event_id").notNull(),
    event: text("event").notNull(),
    storeId: text("store_id"),
    /** Attempts made, the one under way included. */
    attempt: integer("attempt").notNull(),
    status: text("status").$type<DeliveryStatus>().notNull(),
    responseStatus: integer("response_status"),
    responseExcerpt: text("response_excerpt"),
    error: text("error"),
    /** When it is due: the lease's end while an attempt is under way, the schedule's slot after a failure. */
    nextAttemptAt: moment("next_attempt_at"),
    deliveredAt: moment("delivered_at"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
    /** How its attempts went, in the order in which they ended. */
    attempts: json<RecordedAttempt[]>("attempts").notNull(),
  },
  (t) => [
    index("webhook_deliveries_endpoint").on(t.endpointId, t.id),
    index("webhook_deliveries_state").on(t.endpointId, t.status, t.event, t.id),
    index("webhook_deliveries_due").on(t.endpointId, t.nextAttemptAt).where(sql`status = 'failed'`),
    index("webhook_deliveries_troubled").on(t.status, t.id).where(sql`status in ('failed', 'exhausted')`),
  ],
)

/** How many deliveries of an event an endpoint has in each status, kept by triggers; clustered, so that a count is one row written. */
export const webhookTotals = sqliteTable(
  "webhook_totals",
  {
    endpointId: integer("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    pending: integer("pending").notNull(),
    delivered: integer("delivered").notNull(),
    failed: integer("failed").notNull(),
    exhausted: integer("exhausted").notNull(),
    lastSuccessAt: moment("last_success_at"),
  },
  (t) => [primaryKey({ columns: [t.endpointId, t.event] })],
)

/** What an endpoint's attempts of one hour came to. */
export const webhookHours = sqliteTable(
  "webhook_hours",
  {
    endpointId: integer("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    /** Hours since 1970. */
    hour: integer("hour").notNull(),
    attempts: integer("attempts").notNull(),
    delivered: integer("delivered").notNull(),
    /** How many attempts ended with each class of status: 2xx, 3xx, 4xx, 5xx, none. */
    statuses: json<number[]>("statuses").notNull(),
    /** How many attempts took how long: one count for each of the fixed steps of `stats/histogram`. */
    latencies: json<number[]>("latencies").notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpointId, t.hour] }), index("webhook_hours_hour").on(t.hour)],
)
