// Tables for site migrations between site databases, and the id range of each site database.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

/**
 * `copying`: the site is in `source` and locked. `settling`: the destination is decided and the site is about to be
 * unlocked there.
 * `emptying`: the leftover rows in the other database are being deleted.
 */
export type SiteMigrationPhase = "copying" | "settling" | "emptying"

export const siteMigrations = sqliteTable(
  "store_moves",
  {
    storeId: text("store_id").primaryKey(),
    /** The store's incarnation. */
    storeSeq: integer("store_seq").notNull(),
    /** A ULID that identifies the migration in the site databases' locks. */
    migrationId: text("move").notNull(),
    source: text("source").notNull(),
    target: text("target").notNull(),
    phase: text("phase").$type<SiteMigrationPhase>().notNull(),
    /** The database whose rows are deleted: the source after a migration, the target after a cancellation. */
    emptied: text("emptied"),
    /** When the next step may run. */
    dueAt: timestamp("due_at").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [index("store_moves_due").on(t.dueAt)],
)

export const idRanges = sqliteTable("id_ranges", {
  /** The binding of a site database. Row ids of a database without a row here start at 1. */
  database: text("database").primaryKey(),
  /** The database's id range; unique. */
  number: integer("number").notNull().unique(),
})
