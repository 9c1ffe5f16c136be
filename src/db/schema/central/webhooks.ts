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
    lastSuccessAt: moment("last_success_at"),
    lastFailureAt: moment("last_failure_at"),
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

export const webhookEvents = sqliteTable(
  "webhook_events",
  {
    /** ULID; the payload's `id`. */
    id: text("id").primaryKey(),
    /** Its place in the order of commits, without a gap; null for pings and examples, which are no events of the feed. */
    seq: integer("seq"),
    type: text("type").notNull(),
    storeId: text("store_id"),
    /** The exact text that is signed and sent. */
    payload: text("payload").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [
    index("webhook_events_created").on(t.createdAt),
    uniqueIndex("webhook_events_seq").on(t.seq).where(sql`seq is not null`),
    index("webhook_events_type").on(t.type, t.seq).where(sql`seq is not null`),
    index("webhook_events_store").on(t.storeId, t.seq).where(sql`store_id is not null and seq is not null`),
  ],
)

export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
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
  },
  (t) => [
    index("webhook_deliveries_endpoint").on(t.endpointId, t.id),
    index("webhook_deliveries_endpoint_status").on(t.endpointId, t.status, t.id),
    index("webhook_deliveries_endpoint_event").on(t.endpointId, t.event, t.status, t.id),
    index("webhook_deliveries_event").on(t.eventId),
    index("webhook_deliveries_store").on(t.storeId, t.id),
    index("webhook_deliveries_exhausted").on(t.updatedAt).where(sql`status = 'exhausted'`),
    index("webhook_deliveries_troubled").on(t.status, t.id).where(sql`status in ('failed', 'exhausted')`),
    index("webhook_deliveries_due").on(t.endpointId, t.nextAttemptAt).where(sql`status in ('pending', 'failed')`),
    index("webhook_deliveries_finished").on(t.updatedAt).where(sql`status in ('delivered', 'exhausted')`),
  ],
)

/** One row an attempt; a trigger deletes them with their delivery. */
export const webhookAttempts = sqliteTable("webhook_attempts", {
  /** The delivery's id × ATTEMPTS_A_DELIVERY + the attempt's number: one row written, and a delivery's attempts stand together. */
  id: integer("id").primaryKey(),
  kind: text("kind").$type<"first" | "retry" | "manual">().notNull(),
  startedAt: moment("started_at").notNull(),
  durationMs: integer("duration_ms").notNull(),
  responseStatus: integer("response_status"),
  error: text("error"),
})

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
