// Queues subscriptions to cancel at the payment provider: those of deleted stores, and those superseded by a newer
// checkout.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export const providerCancellations = sqliteTable(
  "provider_cancellations",
  {
    /** The provider's id of the subscription. */
    subscription: text("subscription").primaryKey(),
    /** The store of its checkout. */
    storeId: text("store_id").notNull(),
    /** Failed attempts. */
    attempts: integer("attempts").notNull().default(0),
    dueAt: timestamp("due_at").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [index("provider_cancellations_due").on(t.dueAt)],
)
