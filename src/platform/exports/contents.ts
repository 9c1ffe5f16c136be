// Decides which rows and columns of a store are exported, and how a row becomes a line of JSON.
import { listBackupTables } from "../backups/manifest"

/** Tables whose rows are credentials, derived from other rows, or work in progress. */
const EXCLUDED_TABLES: ReadonlySet<string> = new Set([
  "counters",
  "inbox_counts",
  "push_accounts",
  "user_networks",
  "user_totps",
  "user_recovery_codes",
  "user_passkeys",
])

/** Lists the tables of a site database that are exported. A new table is exported unless a list excludes it. */
export const listExportedTables = (): string[] => listBackupTables().filter((name) => !EXCLUDED_TABLES.has(name))

/**
 * Columns that are not exported: hashes of passwords, tokens and keys, encrypted secrets, the hashes of client
 * networks, and columns that are derived for search and comparison.
 */
const EXCLUDED_COLUMN = /(^|_)(hash|secret|token|key|network)$|^(site_id|search_text|once_request|totp_step)$/

/** Whether a column is exported. */
const isExportedColumn = (name: string): boolean => !EXCLUDED_COLUMN.test(name)

/** Whether a column contains a time in milliseconds since 1970. */
const isTime = (name: string): boolean => name.endsWith("_at")

/**
 * Converts a row to a line of JSON. Times are ISO 8601; all other values are as stored.
 * @param row a JSON array of the columns' values
 */
export function toExportedLine(columns: readonly string[], row: string): string {
  const values = JSON.parse(row) as unknown[]
  const fields = columns.flatMap((name, index): [string, unknown][] => {
    if (!isExportedColumn(name)) return []
    const value = values[index]
    return [[name, isTime(name) && typeof value === "number" ? new Date(value).toISOString() : value]]
  })
  return JSON.stringify(Object.fromEntries(fields))
}

/** The file that explains the archive. */
export const buildReadme = (store: { id: string; name: string }, createdAt: Date): string =>
  `Export of ${store.name} (${store.id}), started at ${createdAt.toISOString()}.

store.json         the shop with its plan, domains and settings
data/*.ndjson      one file per table, with one JSON object per line; a long table has several files
files/             the files of the media library, and the pictures of users

Times are ISO 8601 in UTC. Amounts are in the currency's smallest unit. Flags are 0 and 1. Passwords, tokens and other
secrets are not part of the archive. Rows that changed while the archive was made may have either state.
`
