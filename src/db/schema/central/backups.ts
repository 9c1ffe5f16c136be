// Tables for backups of stores, and for restores from them. The rows, files and manifest of a backup are objects in the
// BACKUPS bucket.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, json, timestamp } from "../columns"

/** `files`: its files are being copied. `rows`: the store is locked, and its rows are being copied. */
export type BackupPhase = "files" | "rows" | "done" | "failed"

export const storeBackups = sqliteTable(
  "store_backups",
  {
    /** ULID, so backups sort by time. */
    id: text("id").primaryKey(),
    storeId: text("store_id").notNull(),
    /** The store's incarnation. */
    storeSeq: integer("store_seq").notNull(),
    /** The site database with the store's rows at that time. */
    database: text("database").notNull(),
    phase: text("phase").$type<BackupPhase>().notNull(),
    /** When the next step may run; null once it is done or has failed. */
    dueAt: timestamp("due_at"),
    /** Identifies the state of the store that it contains, to tell whether the store has changed since. */
    fingerprint: text("fingerprint"),
    /** SHA-256 of the manifest in hex. */
    manifestHash: text("manifest_hash"),
    rows: integer("rows"),
    files: integer("files"),
    /** Bytes of its rows and files, including those that it shares with other backups. */
    bytes: integer("bytes"),
    /** Why it failed. */
    error: text("error"),
    createdAt: timestamp("created_at").notNull(),
    completedAt: timestamp("completed_at"),
    /** When the store was deleted; null while it exists. */
    storeDeletedAt: timestamp("store_deleted_at"),
  },
  (t) => [
    uniqueIndex("store_backups_running").on(t.storeId).where(sql`due_at is not null`),
    index("store_backups_due").on(t.dueAt).where(sql`due_at is not null`),
    index("store_backups_store").on(t.storeId, t.id),
    index("store_backups_incarnation").on(t.storeSeq, t.id),
    index("store_backups_failed").on(t.id).where(sql`phase = 'failed'`),
  ],
)

export type StoreBackup = typeof storeBackups.$inferSelect

/** The latest nightly run; a single row. */
export const backupRuns = sqliteTable("backup_runs", {
  id: integer("id").primaryKey(),
  /** When the first run started. */
  firstStartedAt: timestamp("first_started_at").notNull(),
  startedAt: timestamp("started_at").notNull(),
  /** When a run last finished: it had checked every store and started the backups. */
  finishedAt: timestamp("finished_at"),
  /** Stores that the run could not check. */
  unchecked: integer("unchecked").notNull().default(0),
})

/**
 * `verifying`: the backup is read completely. `comparing`: the differences are counted. A dry run ends here.
 * `deleting`, `inserting`, `files`, `checking`: the store is locked and becomes equal to the backup, in rounds.
 * `finishing`: the central database is updated.
 */
export type RestorePhase =
  | "verifying"
  | "comparing"
  | "deleting"
  | "inserting"
  | "files"
  | "checking"
  | "finishing"
  | "done"
  | "failed"

/** Rows of a table, or files, that a restore adds, removes and changes. */
export interface DifferenceCounts {
  added: number
  removed: number
  changed: number
}

/** What differs between a store and a backup, without tables that are equal. */
export interface Differences {
  tables: Record<string, DifferenceCounts>
  files: DifferenceCounts
}

/** The position of a restore within its phase. */
export interface RestorePosition {
  /** Index of a table, or of a part of the list of files. */
  index: number
  /** Within the table: the last processed key, and the part of the backup that contains the next one. */
  key: (string | number)[] | null
  part: number
  /** The last checked object in the bucket of media. */
  object: string | null
  /** Whether the current phase found a difference. */
  differs: boolean
}

export const storeRestores = sqliteTable(
  "store_restores",
  {
    /** ULID, so restores sort by time. */
    id: text("id").primaryKey(),
    backupId: text("backup_id").notNull(),
    /** The restored store. */
    storeId: text("store_id").notNull(),
    /** Its incarnation; null in a dry run of a restore as a new store. */
    storeSeq: integer("store_seq"),
    /** Its site database. */
    database: text("database").notNull(),
    /** Whether it creates the store. */
    isNew: flag("is_new").notNull(),
    /** Whether it only lists the differences. */
    isDryRun: flag("is_dry_run").notNull(),
    phase: text("phase").$type<RestorePhase>().notNull(),
    position: json<RestorePosition>("position").notNull(),
    /** Added to every row id of the backup, for a new store whose ids would not be free; null before it is known. */
    idOffset: integer("id_offset"),
    differences: json<Differences>("differences").notNull(),
    /** Rounds so far: triggers may change rows that were restored already. */
    rounds: integer("rounds").notNull(),
    /** When the next step may run; null once it is done or has failed. */
    dueAt: timestamp("due_at"),
    /** Why it failed. */
    error: text("error"),
    createdAt: timestamp("created_at").notNull(),
    completedAt: timestamp("completed_at"),
  },
  (t) => [
    uniqueIndex("store_restores_running").on(t.storeId).where(sql`due_at is not null`),
    index("store_restores_due").on(t.dueAt).where(sql`due_at is not null`),
    index("store_restores_store").on(t.storeId, t.id),
  ],
)

export type StoreRestore = typeof storeRestores.$inferSelect
