// The platform's figures, a row a day, so that a dashboard can show how they moved.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"

/** Money that comes back every month, of one plan in one currency. */
export interface Recurring {
  plan: string
  currency: string
  /** A month's price of all of them together; of yearly ones the twelfth. */
  cents: number
  subscriptions: number
}

export const figures = sqliteTable("figures", {
  /** The day in UTC, `2027-01-31`. */
  day: text("day").primaryKey(),
  /** Stores by status. */
  stores: json<Record<string, number>>("stores").notNull(),
  recurring: json<Recurring[]>("recurring").notNull(),
  /** Trials that run. */
  trials: integer("trials").notNull(),
  /** Trials that were converted, and subscriptions that were cancelled, since the row before. */
  conversions: integer("conversions").notNull(),
  cancellations: integer("cancellations").notNull(),
  /** The last entry of the trail that they were counted from. */
  countedUntil: integer("counted_until").notNull(),
  createdAt: moment("created_at").notNull(),
})
