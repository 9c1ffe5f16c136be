// Table for archives of everything in a store, which its owner downloads. The archives are objects in the BACKUPS
// bucket.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export type ExportPhase = "running" | "done" | "failed"

export const storeExports = sqliteTable(
  "store_exports",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    storeId: text("store_id").notNull(),
    /** The store's incarnation. */
    storeSeq: integer("store_seq").notNull(),
    /** The address that gets the link. */
    recipient: text("recipient").notNull(),
    phase: text("phase").$type<ExportPhase>().notNull(),
    /** When the next step may run; null once it is done or has failed. */
    dueAt: timestamp("due_at"),
    /** Rows and files in the archive, and its size; null until it is done. */
    rows: integer("rows"),
    files: integer("files"),
    bytes: integer("bytes"),
    createdAt: timestamp("created_at").notNull(),
    completedAt: timestamp("completed_at"),
    /** When the archive and this row are deleted. */
    expiresAt: timestamp("expires_at").notNull(),
  },
  (t) => [
    uniqueIndex("store_exports_running").on(t.storeId).where(sql`due_at is not null`),
    index("store_exports_due").on(t.dueAt).where(sql`due_at is not null`),
    index("store_exports_store").on(t.storeSeq, t.id),
    index("store_exports_expires").on(t.expiresAt),
  ],
)

export type StoreExport = typeof storeExports.$inferSelect
