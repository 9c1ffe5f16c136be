// What the payment provider said. The set of messages about one of its subscriptions is all that is known of it, in whatever order
// they came.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"

export const providerMessages = sqliteTable(
  "provider_messages",
  {
    /** The provider's id of the message, so that each counts once. */
    id: text("id").primaryKey(),
    type: text("type").notNull(),
    /** The provider's own moment, in whole seconds since 1970. */
    created: integer("created").notNull(),
    /** The provider's subscription that it is about. */
    subscription: text("subscription").notNull(),
    customer: text("customer"),
    /** Of a checkout: the store that it ties to the subscription, as it is numbered. */
    storeSeq: integer("store_seq"),
    /** What the message says, as far as anything here depends on it. */
    facts: json<Record<string, unknown>>("facts").notNull(),
    receivedAt: moment("received_at").notNull(),
    /** When it is forgotten, unless a checkout ties its subscription to a store until then; null for one of a store. */
    forgetAt: moment("forget_at"),
  },
  (t) => [
    index("provider_messages_subscription").on(t.subscription),
    index("provider_messages_store").on(t.storeSeq).where(sql`store_seq is not null`),
    index("provider_messages_forgotten").on(t.forgetAt).where(sql`forget_at is not null`),
  ],
)
