// Tables for support access: an operator signs in at a store as its staff, for a stated reason and a limited time.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export const supportAccesses = sqliteTable(
  "support_accesses",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    storeId: text("store_id").notNull(),
    /** The store's incarnation. */
    storeSeq: integer("store_seq").notNull(),
    operatorId: integer("operator_id").notNull(),
    operatorName: text("operator_name").notNull(),
    reason: text("reason").notNull(),
    /** SHA-256 of the link's token, in hex. */
    hash: text("hash").notNull().unique(),
    createdAt: timestamp("created_at").notNull(),
    /** When the single-use link was used. */
    usedAt: timestamp("used_at"),
    /** When the session expires. */
    endsAt: timestamp("ends_at"),
    endedAt: timestamp("ended_at"),
  },
  (t) => [
    index("support_accesses_store").on(t.storeSeq, t.id),
    index("support_accesses_open").on(t.endsAt).where(sql`ended_at is null and ends_at is not null`),
  ],
)
