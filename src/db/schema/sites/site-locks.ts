// Tables for locks of sites that are being migrated, backed up or restored. While a site is locked, triggers reject
// every write to its rows; only `writeThroughLock` of `platform/site-migration/lock.ts` can bypass them.
import { integer, text } from "drizzle-orm/sqlite-core"
import { flag, timestamp } from "../columns"
import { siteTable } from "../site-table"

export const siteLocks = siteTable("held_sites", {
  siteId: text("site_id").primaryKey(),
  /** The migration, backup or restore. */
  migrationId: text("move").notNull(),
  /** True only within the batches of that job; no other transaction ever sees it. */
  open: flag("open").notNull(),
  /** In the target database of a migration: the table being copied, and its last copied row. */
  tableIndex: integer("place").notNull(),
  after: integer("after").notNull(),
  lockedAt: timestamp("held_at").notNull(),
})
