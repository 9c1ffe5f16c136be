// Subscriptions that the payment provider has yet to end: of deleted stores, and those superseded by a newer checkout of their store.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { moment } from "../columns"

export const providerCancellations = sqliteTable(
  "provider_cancellations",
  {
    /** The provider's id of the subscription. */
    subscription: text("subscription").primaryKey(),
    /** The store that its checkout named. */
    storeId: text("store_id").notNull(),
    /** How often the provider was asked in vain. */
    attempts: integer("attempts").notNull().default(0),
    dueAt: moment("due_at").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [index("provider_cancellations_due").on(t.dueAt)],
)
