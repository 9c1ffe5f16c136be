// Queue messages that were given up after their retries, until an operator has run them again.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"

export const deadLetters = sqliteTable(
  "dead_letters",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The message's id at the queue, so that one that comes twice is kept once. */
    messageId: text("message_id").notNull().unique(),
    body: json<unknown>("body").notNull(),
    createdAt: moment("created_at").notNull(),
    /** When it was last sent once more; null while nobody has. */
    rerunAt: moment("rerun_at"),
  },
  (t) => [index("dead_letters_created").on(t.createdAt)],
)
