// The audit outbox: a change of a site's rows writes its audit entry here in the same transaction, and the entry is
// forwarded to the central database in the background.
import { text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"
import { siteTable } from "../site-table"

export const siteAuditOutbox = siteTable("site_trail", {
  /** ULID; the entry's `origin` in the central database. */
  id: text("id").primaryKey(),
  siteId: text("site_id").notNull(),
  /** The central row's other columns. */
  entry: json<unknown>("entry").notNull(),
  createdAt: timestamp("created_at").notNull(),
})
