// Tables for responses for 24 hours under the caller's Idempotency-Key.
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

/**
 * A key and its response. Without rowid, so that a record is one row. It has no index for its expiry: the clean-up
 * visits a part of the key space per minute.
 */
export const idempotencyRecords = sqliteTable("idempotency_records", {
  /** The first 128 bits of SHA-256 of the caller's credential and the key, in hex. */
  id: text("id").primaryKey(),
  /** The first 128 bits of HMAC-SHA256 of the first request's method, path and body, keyed with the credential. */
  fingerprint: text("fingerprint").notNull(),
  /** Until then the first request may still be running. */
  lockedUntil: timestamp("locked_until").notNull(),
  /** Set in the transaction of the change, so that a retry never repeats it. */
  committedAt: timestamp("committed_at"),
  status: integer("status"),
  /** Headers and body, compressed, and encrypted because some responses contain a secret that is shown once. */
  response: text("response"),
  /** The store that the request changes; null for none. */
  storeId: text("store_id"),
  /** The incarnation (`stores.seq`) of that store; null while no store has that id. */
  storeSeq: integer("store_seq"),
  createdAt: timestamp("created_at").notNull(),
})

/** Records of versions before `idempotency_records`. Their keys are refused for a day; the table is then unused. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    /** SHA-256 of the credential, so that API keys never see each other's responses. */
    caller: text("caller").notNull(),
    key: text("key").notNull(),
    /** HMAC-SHA256 of the first request's method, path and body, keyed with the credential. */
    fingerprint: text("fingerprint").notNull(),
    /** Until then the first request may still be running. */
    lockedUntil: timestamp("locked_until").notNull(),
    /** Set in the transaction of the change, so that a retry never repeats it. */
    committedAt: timestamp("committed_at"),
    status: integer("status"),
    headers: json<Record<string, string>>("headers"),
    /** The response body, encrypted because some responses contain a secret that is shown once. */
    body: text("body"),
    /** The store that the request changes; null for none. */
    storeId: text("store_id"),
    /** The incarnation (`stores.seq`) of that store; null while no store has that id. */
    storeSeq: integer("store_seq"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.caller, t.key] }), index("idempotency_keys_created").on(t.createdAt)],
)
