// Sites that stand still in this database, because they are being moved to another one or were moved from it. While a site is held,
// triggers refuse every write to its rows, whoever makes it: see `platform/site-migration/`, the only code that lets itself through.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, moment } from "../columns"

export const siteLocks = sqliteTable("held_sites", {
  siteId: text("site_id").primaryKey(),
  /** The move it is held for. */
  migrationId: text("move").notNull(),
  /** True within the batches of the move itself; no other ever sees it so. */
  open: flag("open").notNull(),
  /** Of the database that is moved to: the table that is being copied, and the last row of it that is here. */
  tableIndex: integer("place").notNull(),
  after: integer("after").notNull(),
  lockedAt: moment("held_at").notNull(),
})
