// Tables for operational alerts: the state of each, and the webhook requests that announce changes.
import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

export const alerts = sqliteTable("alerts", {
  name: text("name").primaryKey(),
  isFiring: integer("is_firing", { mode: "boolean" }).notNull(),
  /** Start of the present state. */
  since: timestamp("since").notNull(),
  /** When the condition of the other state was first met; null while it is not. */
  pendingSince: timestamp("pending_since"),
  /** The metric at the last change of the row. */
  value: real("value").notNull(),
  /** Incremented on every change: the guard of the compare-and-swap. */
  version: integer("version").notNull(),
})

/** The body of an alert's webhook request. */
export interface AlertMessage {
  /** The same for every attempt, so that a receiver can drop duplicates. */
  id: string
  alert: string
  state: "firing" | "recovered"
  /** Start of the incident, and time of this change (ISO 8601). */
  since: string
  at: string
  /** The metric and the value above which the alert fires. */
  value: number
  threshold: number
  /** One sentence, in the field that chat services display. */
  text: string
  /** The path of the runbook in the repository. */
  runbook: string
  /** The console's system page. */
  url: string
}

export const alertWebhooks = sqliteTable(
  "alert_webhooks",
  {
    id: text("id").primaryKey(),
    message: json<AlertMessage>("message").notNull(),
    /** When it may be sent next, postponed while a run sends it. The row is deleted once it was sent or given up. */
    dueAt: timestamp("due_at").notNull(),
    attempts: integer("attempts").notNull(),
  },
  (t) => [index("alert_webhooks_due").on(t.dueAt)],
)
