// Who is at work on something that only one may do at a time, and until when that holds at most.
import { sqliteTable, text } from "drizzle-orm/sqlite-core"
import { moment } from "../columns"

export const locks = sqliteTable("locks", {
  name: text("name").primaryKey(),
  /** Chance text of the run that holds it, so that only that run can give it back. */
  holder: text("holder").notNull(),
  /** From then on it is free, whatever became of its holder. */
  expiresAt: moment("expires_at").notNull(),
})
