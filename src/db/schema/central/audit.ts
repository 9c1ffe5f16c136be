// What happened to each store and who did it. Entries outlive the store.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"

export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    storeId: text("store_id").notNull(),
    /** The incarnation (`stores.seq`) it speaks of, so that a new store of an old name starts with an empty trail. */
    storeSeq: integer("store_seq").notNull(),
    type: text("type").notNull(),
    fromStatus: text("from_status"),
    toStatus: text("to_status"),
    data: json<Record<string, unknown>>("data").notNull(),
    actorType: text("actor_type").notNull(),
    actorId: integer("actor_id"),
    actorName: text("actor_name").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [index("audit_entries_store").on(t.storeSeq, t.id)],
)
