// Stores on their way from one site database to another, and the ranges that each database numbers its rows from.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { moment } from "../columns"

/**
 * `copying`: the store stands in `source`, and is held. `settling`: where it stands is decided, and it is about to be let go there.
 * `emptying`: what is left in the other database is removed.
 */
export type SiteMigrationPhase = "copying" | "settling" | "emptying"

export const siteMigrations = sqliteTable(
  "store_moves",
  {
    storeId: text("store_id").primaryKey(),
    /** The store's incarnation. */
    storeSeq: integer("store_seq").notNull(),
    /** A ULID, by which the databases know for which move they hold the store. */
    migrationId: text("move").notNull(),
    source: text("source").notNull(),
    target: text("target").notNull(),
    phase: text("phase").$type<SiteMigrationPhase>().notNull(),
    /** The database whose rows are removed: the source once the store has moved, the target of a move that was cancelled. */
    emptied: text("emptied"),
    /** When the next step may be taken. */
    dueAt: moment("due_at").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [index("store_moves_due").on(t.dueAt)],
)

export const idRanges = sqliteTable("id_ranges", {
  /** The binding of a site database. One that is not here numbers its rows from 1. */
  database: text("database").primaryKey(),
  /** Which range it numbers its rows in; none is given to two. */
  number: integer("number").notNull().unique(),
})
