// How each part of the cron ran last.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { moment } from "../columns"

export const cronRuns = sqliteTable("cron_runs", {
  part: text("part").primaryKey(),
  startedAt: moment("started_at").notNull(),
  /** Milliseconds. */
  durationMs: integer("duration_ms").notNull(),
  /** What went wrong; null where nothing did. */
  error: text("error"),
})
