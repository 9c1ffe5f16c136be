// Tables for queue messages that failed permanently.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

export const deadLetters = sqliteTable(
  "dead_letters",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The queue's message id; unique, so that a duplicate is stored once. */
    messageId: text("message_id").notNull().unique(),
    body: json<unknown>("body").notNull(),
    createdAt: timestamp("created_at").notNull(),
    /** When an operator last sent it again; null if never. */
    rerunAt: timestamp("rerun_at"),
  },
  (t) => [index("dead_letters_created").on(t.createdAt)],
)
