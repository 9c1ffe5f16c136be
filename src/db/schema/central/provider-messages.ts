// Tables for the payment provider's messages. The set of messages about a subscription determines its state, regardless
// of their order.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

export const providerMessages = sqliteTable(
  "provider_messages",
  {
    /** The provider's id of the message, so that each counts once. */
    id: text("id").primaryKey(),
    type: text("type").notNull(),
    /** The provider's timestamp, in Unix seconds. */
    created: integer("created").notNull(),
    /** The provider's id of the subscription that the message is about. */
    subscription: text("subscription").notNull(),
    customer: text("customer"),
    /** For a checkout: the `seq` of the store that it binds the subscription to. */
    storeSeq: integer("store_seq"),
    /** The parsed contents of the message (`MessageFacts`). */
    facts: json<Record<string, unknown>>("facts").notNull(),
    receivedAt: timestamp("received_at").notNull(),
    /**
     * When the message is deleted, unless a checkout binds its subscription to a store before; null once it is bound.
     */
    deleteAt: timestamp("forget_at"),
  },
  (t) => [
    index("provider_messages_subscription").on(t.subscription),
    index("provider_messages_store").on(t.storeSeq).where(sql`store_seq is not null`),
    index("provider_messages_forgotten").on(t.deleteAt).where(sql`forget_at is not null`),
  ],
)
