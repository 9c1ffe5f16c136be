// Tables for operators' notes about stores.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export const storeNotes = sqliteTable(
  "store_notes",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The store's incarnation (`stores.seq`). */
    storeSeq: integer("store_seq").notNull(),
    note: text("note").notNull(),
    createdByName: text("created_by_name").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [index("store_notes_store").on(t.storeSeq, t.id)],
)
