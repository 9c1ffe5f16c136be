// Tables for the platform's daily metrics, one row per day.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

/** Monthly recurring revenue of one plan in one currency. */
export interface Recurring {
  plan: string
  currency: string
  /** Monthly revenue of all its subscriptions; yearly prices count as a twelfth. */
  cents: number
  subscriptions: number
}

/** The progress of a count that ran out of time: the last counted subscription. */
export interface MetricsProgress {
  subscription: number
}

export const metrics = sqliteTable("figures", {
  /** The day in UTC, `2027-01-31`. */
  day: text("day").primaryKey(),
  /** Stores by status. */
  stores: json<Record<string, number>>("stores").notNull(),
  recurring: json<Recurring[]>("recurring").notNull(),
  /** Running trials. */
  trials: integer("trials").notNull(),
  /** Converted trials and cancelled subscriptions since the previous row. */
  conversions: integer("conversions").notNull(),
  cancellations: integer("cancellations").notNull(),
  /** The last audit log entry that was counted. */
  countedUntil: integer("counted_until").notNull(),
  createdAt: timestamp("created_at").notNull(),
  /** Null once everything is counted. */
  progress: json<MetricsProgress>("progress"),
})
