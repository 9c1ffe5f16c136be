// Tables for locks of sites that are being migrated to or from this database. While a site is locked, triggers reject
// every write to its rows; only `platform/site-migration/` can bypass them.
import { integer, text } from "drizzle-orm/sqlite-core"
import { flag, timestamp } from "../columns"
import { siteTable } from "../site-table"

export const siteLocks = siteTable("held_sites", {
  siteId: text("site_id").primaryKey(),
  /** The migration. */
  migrationId: text("move").notNull(),
  /** True only within the migration's own batches; no other transaction ever sees it. */
  open: flag("open").notNull(),
  /** In the target database: the table being copied, and its last copied row. */
  tableIndex: integer("place").notNull(),
  after: integer("after").notNull(),
  lockedAt: timestamp("held_at").notNull(),
})
