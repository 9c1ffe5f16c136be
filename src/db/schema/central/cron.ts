// Tables for the last run of every cron job.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export const cronRuns = sqliteTable("cron_runs", {
  part: text("part").primaryKey(),
  startedAt: timestamp("started_at").notNull(),
  /** Milliseconds. */
  durationMs: integer("duration_ms").notNull(),
  /** The error; null after a successful run. */
  error: text("error"),
})
