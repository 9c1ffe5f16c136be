// Tables for backups of stores. The rows, files and manifest of a backup are objects in the BACKUPS bucket.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

/** `files`: its files are being copied. `rows`: the store is locked, and its rows are being copied. */
export type BackupPhase = "files" | "rows" | "done" | "failed"

export const storeBackups = sqliteTable(
  "store_backups",
  {
    /** ULID, so backups sort by time. */
    id: text("id").primaryKey(),
    storeId: text("store_id").notNull(),
    /** The store's incarnation. */
    storeSeq: integer("store_seq").notNull(),
    /** The site database with the store's rows at that time. */
    database: text("database").notNull(),
    phase: text("phase").$type<BackupPhase>().notNull(),
    /** When the next step may run; null once it is done or has failed. */
    dueAt: timestamp("due_at"),
    /** Identifies the state of the store that it contains, to tell whether the store has changed since. */
    fingerprint: text("fingerprint"),
    /** SHA-256 of the manifest in hex. */
    manifestHash: text("manifest_hash"),
    rows: integer("rows"),
    files: integer("files"),
    /** Bytes of its rows and files, including those that it shares with other backups. */
    bytes: integer("bytes"),
    /** Why it failed. */
    error: text("error"),
    createdAt: timestamp("created_at").notNull(),
    completedAt: timestamp("completed_at"),
    /** When the store was deleted; null while it exists. */
    storeDeletedAt: timestamp("store_deleted_at"),
  },
  (t) => [
    uniqueIndex("store_backups_running").on(t.storeId).where(sql`due_at is not null`),
    index("store_backups_due").on(t.dueAt).where(sql`due_at is not null`),
    index("store_backups_store").on(t.storeId, t.id),
    index("store_backups_incarnation").on(t.storeSeq, t.id),
  ],
)

export type StoreBackup = typeof storeBackups.$inferSelect
