// Mails of the platform to owners and operators: written in the commit of what they tell, sent by the queue, each by one run.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"

export const mails = sqliteTable(
  "mails",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** What it is about, so that nothing is told twice. */
    key: text("key").notNull().unique(),
    kind: text("kind").notNull(),
    /** The store it is about; null for a mail that is about none. */
    storeId: text("store_id"),
    /** The incarnation (`stores.seq`) of that store. */
    storeSeq: integer("store_seq"),
    recipient: text("recipient").notNull(),
    /** The language it is written in; null for English. */
    locale: text("locale"),
    /** What its words name. Never a secret. */
    data: json<Record<string, string | number | null>>("data").notNull(),
    /** From when on it may be sent, which is put off while a run sends it; null once it was sent or given up. */
    dueAt: moment("due_at"),
    /** Begun, not all of them brought to their end. */
    attempts: integer("attempts").notNull().default(0),
    sentAt: moment("sent_at"),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [index("mails_due").on(t.dueAt, t.id)],
)
