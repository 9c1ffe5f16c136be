// The format of a backup: a manifest, and blobs named by their SHA-256 that the backups of one incarnation share.

import type { serverTokens, siteSettings } from "../../db/schema/central/sites"
import type { Domain } from "../domains/schemas"
import { listCopiedTables } from "../site-migration/rows"
import type { StoreDetails } from "../stores/schemas"

/** The version of the format, incremented when readers of the previous one cannot read it. */
export const FORMAT_VERSION = 1

/** A blob with lines of JSON. */
export interface Part {
  /** In hex. */
  sha256: string
  bytes: number
  /** Number of lines. */
  count: number
}

/** The rows of a table, in the order of its primary key. Each line is an array of the columns' values. */
export interface TableBackup {
  name: string
  columns: readonly string[]
  parts: Part[]
}

/** A part of the list of files. Each line is a `FileEntry`; paths are sorted. */
export interface FileListPart extends Part {
  firstPath: string
  lastPath: string
  /** The size of its files. */
  fileBytes: number
}

export interface FileEntry {
  /** The path below the store's prefix in the MEDIA bucket. */
  path: string
  size: number
  /** The entity tag of the copied object; a path with the same tag has the same bytes. */
  etag: string
  /** The media type. */
  type: string
  /** Of its bytes, in hex. */
  sha256: string
}

/** The rows of the central database that belong to the store. */
export interface CentralRows {
  store: StoreDetails["store"]
  subscription: StoreDetails["subscription"]
  domains: Domain[]
  siteSettings: typeof siteSettings.$inferSelect | null
  serverTokens: (typeof serverTokens.$inferSelect)[]
}

export interface Manifest {
  format: number
  id: string
  createdAt: string
  /** The binding of the site database. */
  database: string
  /** The last migration of each kind of database; null when it is not recorded. */
  schema: { central: string | null; sites: string | null }
  /** As JSON, with timestamps as ISO 8601. */
  central: unknown
  tables: TableBackup[]
  files: FileListPart[]
}

/**
 * Tables of a site database that are not backed up: logins, mailed tokens and invitations, which a restore must not make
 * valid again; work in progress; and the incarnation, which a restored store has its own of.
 */
const EXCLUDED_TABLES = [
  "user_tokens",
  "reset_tokens",
  "mailed_tokens",
  "staff_invitations",
  "push_claims",
  "media_orphans",
  "site_incarnations",
]

/** Lists the tables of a site database that are backed up. */
export const listBackupTables = (): string[] => listCopiedTables().filter((name) => !EXCLUDED_TABLES.includes(name))

/** Lists the tables that a restore empties: logins end, and nothing in progress continues. */
export const listUnrestoredTables = (): string[] => EXCLUDED_TABLES.filter((name) => name !== "site_incarnations")

/**
 * Whether a row of `counters` is backed up. Triggers derive the totals of a single row, and the version of the content
 * must never decrease.
 */
export const isBackedUpCounter = (list: string): boolean => list !== "version" && !list.includes(":")

/** The key prefix of an incarnation's objects. */
export const prefixOf = (seq: number): string => `${seq}/`

/** The prefix of the keys of a backup's manifests: one per run that completed it, of which the row names one. */
export const manifestPrefix = ({ storeSeq, id }: { storeSeq: number; id: string }): string =>
  `${prefixOf(storeSeq)}backups/${id}.`

/** The key of a backup's manifest. */
export const manifestKey = (backup: { storeSeq: number; id: string }, hash: string): string =>
  `${manifestPrefix(backup)}${hash}.json`

/** The key of a running backup's progress. */
export const progressKey = ({ storeSeq, id }: { storeSeq: number; id: string }): string =>
  `${prefixOf(storeSeq)}running/${id}.json`

/** The prefix of an incarnation's blobs; the rest of the key is the SHA-256. */
export const blobPrefix = (seq: number): string => `${prefixOf(seq)}blobs/`
