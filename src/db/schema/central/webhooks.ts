// Tables for outbound webhooks: endpoints, events, deliveries and their statistics.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { compressedText } from "../../compressed-text"
import { flag, json, timestamp } from "../columns"

export type DeliveryStatus = "pending" | "delivered" | "failed" | "exhausted"

/** A recovery: sends missed events in order. */
export interface Recovery {
  /** `gap`: what was delivered after the receiver's cursor is sent again. */
  mode: "failed" | "missed" | "all" | "gap"
  /** The time range of the events, in milliseconds since 1970. */
  since: number
  until: number
  /** The selected event types; null for all that the endpoint subscribes to. */
  events: string[] | null
  /** The number of events, and their outcomes. */
  queued: number
  done: number
  failed: number
  /** The `seq` of the last processed event, and of the last event to process. */
  after: number
  last: number
  /** The receiver's cursor; only with the mode `gap`. */
  from?: number
}

/** The operators of filter conditions. */
export const FILTER_OPS = ["eq", "ne", "in", "gt", "gte", "lt", "lte", "exists", "changed"] as const

/** A value that a condition compares with. */
export type FilterValue = string | number | boolean

/** A condition on an event's payload. */
export interface FilterCondition {
  /** Keys of the payload, joined by dots; `changed` also takes the name of a changed field. */
  path: string
  op: (typeof FILTER_OPS)[number]
  /** A list for `in`; absent for `exists` and `changed`. */
  value?: FilterValue | FilterValue[]
}

/** What is sent of an event: all of it, or only the ids of its resources. */
export const PAYLOAD_FORMATS = ["full", "thin"] as const

/** Why an endpoint is disabled: too many consecutive failures, or a response with status 410. */
export const DISABLED_REASONS = ["failures", "gone"] as const

export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The store whose staff created it, which is its only store for ever; null for the platform's own. */
    storeId: text("store_id"),
    /** The incarnation (`stores.seq`) of that store. */
    storeSeq: integer("store_seq"),
    url: text("url").notNull(),
    /** Event types, `<resource>.*`, or `*`. */
    events: json<string[]>("events").notNull(),
    description: text("description"),
    /** The store filter; null for all events, including those without a store. */
    stores: json<string[]>("stores"),
    /** The incarnations (`stores.seq`) of those ids when the filter was saved. Events match these, not the ids. */
    storeSeqs: json<number[]>("store_seqs"),
    /** Conditions on the payload, all of which an event has to meet; null for none. */
    filter: json<FilterCondition[]>("filter"),
    payloadFormat: text("payload_format").$type<(typeof PAYLOAD_FORMATS)[number]>().notNull().default("full"),
    /** Additional request headers: the encrypted values by name; null for none. */
    headers: json<Record<string, string>>("headers"),
    /** Attempts per second at most; null for no limit. */
    maxPerSecond: integer("max_per_second"),
    /** Whether the events of each store are delivered one after another, in commit order. */
    ordered: flag("ordered").notNull().default(false),
    /** Whether a gap that the receiver reports is sent again automatically. */
    reconcile: flag("reconcile").notNull().default(false),
    /** The cursor that the receiver reported last, as it was sent; null if it never did. */
    receiverCursor: text("receiver_cursor"),
    /** The `seq` of that cursor. */
    receiverSeq: integer("receiver_seq"),
    /** The lowest reported `seq` that has yet to be checked or reconciled; null for none. */
    gapSeq: integer("gap_seq"),
    /** Since when the receiver lacks delivered events; null while it does not. */
    behindSince: timestamp("behind_since"),
    /** When that was announced last. */
    behindNoticedAt: timestamp("behind_noticed_at"),
    /** When a gap was last sent again automatically. */
    reconciledAt: timestamp("reconciled_at"),
    /** The encrypted signing secret. */
    secret: text("secret").notNull(),
    /** The encrypted previous secret, which also signs until then. */
    previousSecret: text("previous_secret"),
    previousSecretUntil: timestamp("previous_secret_until"),
    /** The last recovery, running or done; null if there was none. */
    recovery: json<Recovery>("recovery"),
    /** The binding of the delivery database with its deliveries. */
    database: text("database").notNull().default("DB"),
    /** Set by the operator. */
    isActive: flag("is_active").notNull(),
    /** When an operator turned off a store's endpoint, which its staff cannot undo; null otherwise. */
    lockedAt: timestamp("locked_at"),
    /** When it was disabled automatically; null while enabled. */
    disabledAt: timestamp("disabled_at"),
    /** Null while enabled, and in rows of older versions, which only failures disabled. */
    disabledReason: text("disabled_reason").$type<(typeof DISABLED_REASONS)[number]>(),
    /** The `disabledAt` that was reported to the operators. */
    noticedAt: timestamp("noticed_at"),
    consecutiveFailures: integer("consecutive_failures").notNull(),
    /**
     * The revision of the failure counter that `disabledAt` and `consecutiveFailures` replicate, so that an older one
     * cannot overwrite it.
     */
    failureSeq: integer("failure_seq").notNull(),
    /** What was announced of its failures: 1 at half of those that disable it, 2 at four fifths, 3 once disabled. */
    failureLevel: integer("failure_level").notNull().default(0),
    lastFailureAt: timestamp("last_failure_at"),
    /** End of the lease of the running endpoint batch; the cron creates one at a time. Null when none is running. */
    laneUntil: timestamp("lane_until"),
    /** Incremented on every change by a caller; not by deliveries. */
    version: integer("version").notNull().default(1),
    createdByName: text("created_by_name").notNull(),
    createdAt: timestamp("created_at").notNull(),
    /** The highest `seq` of the event log at that time. It receives later events only. */
    createdAtSeq: integer("created_at_seq").notNull().default(0),
    updatedAt: timestamp("updated_at").notNull(),
    /** When it was deleted. It is hidden from then on; its row is deleted after its deliveries. */
    deletedAt: timestamp("deleted_at"),
  },
  (t) => [
    index("webhook_endpoints_deleted").on(t.deletedAt).where(sql`deleted_at is not null`),
    // Unused since `webhook_endpoints_unfinished` exists; the next release drops it.
    index("webhook_endpoints_recovering").on(t.id).where(sql`recovery is not null`),
    index("webhook_endpoints_unfinished").on(t.id).where(sql`recovery is not null or gap_seq is not null`),
    index("webhook_endpoints_updated").on(t.updatedAt),
    index("webhook_endpoints_store").on(t.storeId, t.id).where(sql`store_id is not null`),
    index("webhook_endpoints_disabled").on(t.disabledAt).where(sql`disabled_at is not null`),
  ],
)

/**
 * The phases of moving an endpoint's deliveries to another database. The target is cleared, the deliveries are copied
 * and compared, those of events since then are created, and the source is emptied.
 */
export type RehomingPhase = "clearing" | "copying" | "comparing" | "routing" | "emptying"

/**
 * Endpoints whose deliveries move to another database. Next to the central row, both databases have one while they must
 * not change the deliveries (core/write/rehoming.ts).
 */
export const endpointRehomings = sqliteTable("endpoint_rehomings", {
  endpointId: integer("endpoint_id").primaryKey(),
  /** The bindings of the delivery databases. */
  source: text("source").notNull(),
  target: text("target").notNull(),
  phase: text("phase").$type<RehomingPhase>().notNull(),
  /** The last delivery that was copied or compared, or the `seq` of the last routed event. */
  cursor: integer("cursor").notNull(),
  /** Deliveries copied so far. */
  copied: integer("copied").notNull(),
  /** The `seq` up to which the source had the endpoint's deliveries before it was paused. */
  routedSeq: integer("routed_seq").notNull(),
  /** The highest `seq` when the target took over; null before. */
  headSeq: integer("head_seq"),
  createdAt: timestamp("created_at").notNull(),
  /** When the target took over; null before. */
  switchedAt: timestamp("switched_at"),
})

/** An attempt, as stored with its delivery. */
export interface RecordedAttempt {
  /** One-based. */
  number: number
  kind: "first" | "retry" | "manual"
  /** Milliseconds since 1970. */
  startedAt: number
  durationMs: number
  responseStatus: number | null
  error: string | null
  /** The beginning of the response of a failed attempt; absent if it was empty, and in attempts of older versions. */
  excerpt?: string
  /** The delay that the response requested with `Retry-After`; absent without one. */
  retryAfterMs?: number
}

export const webhookEvents = sqliteTable(
  "webhook_events",
  {
    /** The position in commit order. */
    seq: integer("seq").primaryKey(),
    /** ULID; the payload's `id`. */
    id: text("id").notNull(),
    type: text("type").notNull(),
    storeId: text("store_id"),
    /** The incarnation of the store of a shop's event. Those of other events are in their audit entries. */
    storeSeq: integer("store_seq"),
    /** Whether it is a ping or an example, which the event feed excludes. */
    isTest: flag("is_test").notNull(),
    /** The exact text that is signed and sent, stored compressed. */
    payload: compressedText("payload").notNull(),
    /** The audit entry of the same commit. */
    entryId: integer("entry_id"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("webhook_events_id").on(t.id),
    index("webhook_events_store").on(t.storeId, t.seq).where(sql`store_id is not null`),
  ],
)

/**
 * Every index here costs a written row when a delivery is created, and another whenever one of its columns is assigned.
 * Four are used constantly; rarer queries use the same ones.
 */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    /**
     * The event's `seq` × MAX_ENDPOINTS_PER_EVENT + the endpoint's id: identifies both without an index, and is never
     * reused.
     */
    id: integer("id").primaryKey(),
    endpointId: integer("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    eventId: text("event_id").notNull(),
    event: text("event").notNull(),
    storeId: text("store_id"),
    /**
     * The store whose events are delivered one after another; null unless its endpoint was ordered when it was routed.
     */
    orderingKey: text("ordering_key"),
    /** Attempts made, including the running one. */
    attempt: integer("attempt").notNull(),
    status: text("status").$type<DeliveryStatus>().notNull(),
    responseStatus: integer("response_status"),
    responseExcerpt: text("response_excerpt"),
    error: text("error"),
    /** When it is due: the end of the lease while an attempt is running, the scheduled time after a failure. */
    nextAttemptAt: timestamp("next_attempt_at"),
    deliveredAt: timestamp("delivered_at"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
    /** The results of its attempts, in the order in which they ended. */
    attempts: json<RecordedAttempt[]>("attempts").notNull(),
  },
  (t) => [
    index("webhook_deliveries_endpoint").on(t.endpointId, t.id),
    index("webhook_deliveries_state").on(t.endpointId, t.status, t.event, t.id),
    index("webhook_deliveries_due").on(t.endpointId, t.nextAttemptAt).where(sql`status = 'failed'`),
    index("webhook_deliveries_ordered")
      .on(t.endpointId, t.orderingKey, t.id)
      .where(sql`ordering_key is not null and status in ('pending', 'failed')`),
    index("webhook_deliveries_troubled").on(t.status, t.id).where(sql`status in ('failed', 'exhausted')`),
  ],
)

/**
 * Deliveries per endpoint, event type and status, maintained by triggers; without rowid, so that a change writes one
 * row.
 */
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
    lastSuccessAt: timestamp("last_success_at"),
  },
  (t) => [primaryKey({ columns: [t.endpointId, t.event] })],
)

/** The results of an endpoint's attempts in one hour. */
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
    /** Attempts by status class: 2xx, 3xx, 4xx, 5xx, none. */
    statuses: json<number[]>("statuses").notNull(),
    /** Histogram of response times: a count per bucket of `webhooks/histogram`. */
    latencies: json<number[]>("latencies").notNull(),
    /** Histogram of the times from the event to its delivery; shorter in rows of older versions. */
    delays: json<number[]>("delays").notNull().default([]),
  },
  (t) => [primaryKey({ columns: [t.endpointId, t.hour] }), index("webhook_hours_hour").on(t.hour)],
)
