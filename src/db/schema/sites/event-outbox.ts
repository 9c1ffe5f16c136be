// The event outbox: a change in a shop writes its event here in the same transaction, and the event is forwarded to the
// central event log in the background.
import { integer, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"
import { siteTable } from "../site-table"

export const siteEvents = siteTable("site_events", {
  /** In commit order: a row is inserted after those that are not forwarded yet. Ids of forwarded rows are reused. */
  id: integer("id").primaryKey(),
  siteId: text("site_id").notNull(),
  /** The incarnation of the store (`stores.seq`); null for stores older than that table. */
  storeSeq: integer("store_seq"),
  /** ULID; the event's id in the central event log, where it is unique. */
  eventId: text("event_id").notNull(),
  type: text("type").notNull(),
  /** The payload as the central event log stores it. Never decompressed here. */
  payload: text("payload").notNull(),
  createdAt: timestamp("created_at").notNull(),
})
