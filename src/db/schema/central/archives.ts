// Tables that describe the archives of append-only logs in R2: how far each log is archived, and its objects. They grow
// by a row per object, not per entry (core/archive).
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

/** The logs that are archived. */
export const ARCHIVED_LOGS = ["audit", "events"] as const

export type ArchivedLog = (typeof ARCHIVED_LOGS)[number]

/** The progress of each log's archive. */
export const archives = sqliteTable("archives", {
  log: text("log").$type<ArchivedLog>().primaryKey(),
  /** The id up to which all entries are archived. */
  lastId: integer("last_id").notNull(),
  /** The time of that entry. */
  lastAt: timestamp("last_at").notNull(),
  /** The number of objects, and of entries in them. */
  objects: integer("objects").notNull(),
  entries: integer("entries").notNull(),
})

/** The objects of all archives. Those of one shard form a chain, numbered from 1. Without rowid. */
export const archiveObjects = sqliteTable(
  "archive_objects",
  {
    log: text("log").$type<ArchivedLog>().notNull(),
    shard: text("shard").notNull(),
    number: integer("number").notNull(),
    /** The month of its entries in UTC, such as `2026-08`; part of the key. */
    month: text("month").notNull(),
    firstId: integer("first_id").notNull(),
    lastId: integer("last_id").notNull(),
    /** The times of its earliest and latest entry. */
    firstAt: timestamp("first_at").notNull(),
    lastAt: timestamp("last_at").notNull(),
    entries: integer("entries").notNull(),
    bytes: integer("bytes").notNull(),
    /** Of the stored bytes, in hex. */
    sha256: text("sha256").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.log, t.shard, t.number] }),
    index("archive_objects_month").on(t.log, t.month, t.firstId),
  ],
)

/**
 * The part of a store's audit log in each object that contains some of it, so that a page reads only these objects.
 * Without rowid.
 */
export const auditArchiveParts = sqliteTable(
  "audit_archive_parts",
  {
    /** The store's incarnation. */
    storeSeq: integer("store_seq").notNull(),
    /** How many older entries of the store are archived. */
    start: integer("start").notNull(),
    /** The number of the object in the shard of the store's id. */
    object: integer("object").notNull(),
    entries: integer("entries").notNull(),
  },
  (t) => [primaryKey({ columns: [t.storeSeq, t.start] })],
)
