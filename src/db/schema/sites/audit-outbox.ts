// Entries of the trail on their way to the central database: a change of a site's rows leaves its entry in its own transaction,
// which is here, and the entry is brought over behind the answer.
import { sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"

export const siteAuditOutbox = sqliteTable("site_trail", {
  /** ULID; the entry's `origin` in the central database. */
  id: text("id").primaryKey(),
  siteId: text("site_id").notNull(),
  /** The central row's other columns. */
  entry: json<unknown>("entry").notNull(),
  createdAt: moment("created_at").notNull(),
})
