// Outbound webhooks: who listens, what was said, and how each telling went.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, json, moment } from "../columns"

export type DeliveryStatus = "pending" | "delivered" | "failed" | "exhausted"

export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    url: text("url").notNull(),
    /** Event names, `<resource>.*`, or `*`. */
    events: json<string[]>("events").notNull(),
    description: text("description"),
    /** The signing secret under the application's key. */
    secret: text("secret").notNull(),
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
  },
  (t) => [index("webhook_endpoints_disabled").on(t.disabledAt).where(sql`disabled_at is not null`)],
)

export const webhookEvents = sqliteTable(
  "webhook_events",
  {
    /** ULID; the payload's `id`. */
    id: text("id").primaryKey(),
    type: text("type").notNull(),
    storeId: text("store_id"),
    /** The exact text that is signed and sent. */
    payload: text("payload").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [index("webhook_events_created").on(t.createdAt)],
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
    index("webhook_deliveries_due").on(t.endpointId, t.nextAttemptAt).where(sql`status in ('pending', 'failed')`),
    index("webhook_deliveries_finished").on(t.updatedAt).where(sql`status in ('delivered', 'exhausted')`),
  ],
)
