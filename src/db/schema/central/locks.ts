// Stores distributed locks with their expiry.
import { sqliteTable, text } from "drizzle-orm/sqlite-core"
import { moment } from "../columns"

export const locks = sqliteTable("locks", {
  name: text("name").primaryKey(),
  /** The holder's random token; only the holder can release the lock. */
  holder: text("holder").notNull(),
  /** The lock is free from then on, even if its holder died. */
  expiresAt: moment("expires_at").notNull(),
})
