// Tables for the platform's operating metrics. The row ids are slots that are used again, so the table never grows:
// 0 is the latest minute, 1 to 288 are the 5-minute slots of a day, 1,001 to 1,720 the hours of 30 days.
import { integer, sqliteTable } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

/**
 * The operating metrics of a minute or a slot; null if they could not be measured. A slot has the worst of its minutes.
 */
export interface SystemMetrics {
  /** Milliseconds from an event to its delivery, among deliveries of recent events that needed no retry. */
  latencyP50Ms: number | null
  latencyP95Ms: number | null
  /** Lateness in seconds of the delivery that should have been attempted longest ago; 0 if none is due. */
  oldestDueSeconds: number | null
  /** Due deliveries, counted up to a limit per endpoint. */
  dueDeliveries: number | null
  /** Messages in all queues. */
  queueBacklog: number | null
  /** Age in seconds of the oldest message in any queue. */
  queueOldestSeconds: number | null
  /** Seconds by which the most overdue scheduled job is late. */
  cronLateSeconds: number | null
  /** Scheduled jobs whose last run failed. */
  jobsFailing: number | null
  /** Dead letters that arrived in the last hour. */
  deadLetters: number | null
  /** Size of the fullest database in bytes. */
  databaseBytes: number | null
  /** Databases that are unreachable or refuse writes. */
  databasesDown: number | null
  /** Mails that were refused and are due again. */
  mailsRefused: number | null
  /** Transient errors in the present and the previous slot of five minutes. */
  faults: number | null
  /** Seconds since a run of the nightly backups finished. Absent in slots of older versions. */
  backupAgeSeconds: number | null
  /** Stores whose latest backup failed, or that the last run could not check. */
  backupsFailed: number | null
}

/** The parts of the metrics, of the latest minute only. */
export interface SystemDetail {
  databases: { name: string; bytes: number | null; status: "ok" | "unreachable" | "full" | "refuses_writes" }[]
  queues: { name: string; backlog: number | null; oldestSeconds: number | null }[]
}

export const systemMetrics = sqliteTable("system_metrics", {
  id: integer("id").primaryKey(),
  /** Start of the slot. An older slot with the same id is overwritten. */
  at: timestamp("at").notNull(),
  /** Transient errors by kind, which each isolate adds up. */
  faults: json<Record<string, number>>("faults").notNull(),
  data: json<SystemMetrics>("data"),
  detail: json<SystemDetail>("detail"),
})
