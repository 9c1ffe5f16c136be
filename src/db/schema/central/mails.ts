// Tables for the mail outbox. Mails to owners and operators are written in the same commit as the change they report,
// and sent by the queue.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

export const mails = sqliteTable(
  "mails",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** A unique key per occasion, so that an occasion inserts one mail. */
    key: text("key").notNull().unique(),
    kind: text("kind").notNull(),
    /** The store; null when the mail is not about a store. */
    storeId: text("store_id"),
    /** The incarnation (`stores.seq`) of that store. */
    storeSeq: integer("store_seq"),
    recipient: text("recipient").notNull(),
    /** The mail's language; null for English. */
    locale: text("locale"),
    /** The values in the mail's text; never a secret. */
    data: json<Record<string, string | number | null>>("data").notNull(),
    /** When it may be sent next, postponed while a run sends it; null once sent or failed permanently. */
    dueAt: timestamp("due_at"),
    /** Attempts that were started. */
    attempts: integer("attempts").notNull().default(0),
    /** Attempts whose result was not recorded: the mail may have been sent. */
    unconfirmed: integer("unconfirmed").notNull().default(0),
    sentAt: timestamp("sent_at"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [index("mails_due").on(t.dueAt, t.id)],
)
