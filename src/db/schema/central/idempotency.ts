// Answers kept for 24 hours under the caller's Idempotency-Key.
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"

export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    /** SHA-256 of the credential: two keys never see each other's answers. */
    caller: text("caller").notNull(),
    key: text("key").notNull(),
    /** HMAC-SHA256 under the credential over method, path and body of the first request. */
    fingerprint: text("fingerprint").notNull(),
    /** Until when the first request may still be running. */
    lockedUntil: moment("locked_until").notNull(),
    /** Set in the very transaction that made the change, so that a retry never makes it twice. */
    committedAt: moment("committed_at"),
    status: integer("status"),
    headers: json<Record<string, string>>("headers"),
    /** The answer's text under the application's key: some answers hold a secret that is shown once. */
    body: text("body"),
    /** The store that the request is about; null for none. */
    storeId: text("store_id"),
    /** The incarnation (`stores.seq`) of that store; null while no store has that id. */
    storeSeq: integer("store_seq"),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.caller, t.key] }), index("idempotency_keys_created").on(t.createdAt)],
)
