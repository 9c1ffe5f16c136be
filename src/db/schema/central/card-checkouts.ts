// Tables for the open checkout session at the payment provider: at most one per store incarnation, so that no customer
// pays twice.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export const cardCheckouts = sqliteTable("card_checkouts", {
  /** The store's incarnation (`stores.seq`). */
  storeSeq: integer("store_seq").primaryKey(),
  /** The provider's id of the session; never leaves the Worker. */
  session: text("session").notNull().unique(),
  /** SHA-256 of the parameters that the session was created with. An equal request reuses the session. */
  terms: text("terms").notNull(),
  createdAt: timestamp("created_at").notNull(),
})
