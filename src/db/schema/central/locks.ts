// Tables for distributed locks with their expiry.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

export const locks = sqliteTable("locks", {
  name: text("name").primaryKey(),
  /**
   * The holder's random token; only the holder can release the lock. Empty while a job whose message has no token waits
   * for its next attempt.
   */
  holder: text("holder").notNull(),
  /** The lock can be acquired after this time, even if it was never released. */
  expiresAt: timestamp("expires_at").notNull(),
  /** The step of a job that the lock's owner runs (core/queue/leased-jobs.ts); null for other locks. */
  job: json<Record<string, unknown>>("job"),
  /** How often the step failed since it last succeeded, and the class of the last error. */
  attempts: integer("attempts").notNull().default(0),
  lastError: text("last_error"),
})
