// Tables for the last run of every scheduled job.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

/** The last run of a scheduled job, as stored; absent fields are null or 0. */
export interface StoredRun {
  /** Milliseconds since 1970. */
  startedAt: number
  durationMs: number
  error?: string | null
  /** When the run stopped although work was left, in milliseconds since 1970. */
  stoppedAt?: number | null
  items?: number | null
  failedItems?: number | null
}

/** One row contains the runs of all jobs, so that a minute in which nothing happens writes one row. */
export const cronRuns = sqliteTable("cron_runs", {
  /** `*`. Rows of single jobs were written by older versions. */
  part: text("part").primaryKey(),
  startedAt: timestamp("started_at").notNull(),
  /** Milliseconds. */
  durationMs: integer("duration_ms").notNull(),
  /** Written by older versions. */
  error: text("error"),
  /** The last run of each job, by its name. */
  runs: json<Record<string, StoredRun>>("runs"),
})
