// The JSON text of an audit entry in the archive: the columns of its row, with its time as ISO 8601.
import { getTableColumns } from "drizzle-orm"
import { auditEntries } from "../../db/schema/central/audit"

export type AuditEntry = typeof auditEntries.$inferSelect

/** Property and column of each value. */
const COLUMNS = Object.entries(getTableColumns(auditEntries)).map(
  ([property, { name }]) => [property as keyof AuditEntry, name] as const,
)

/** Serializes an entry. */
export const serializeEntry = (entry: AuditEntry): string =>
  JSON.stringify(Object.fromEntries(COLUMNS.map(([property, column]) => [column, entry[property]])))

/** Parses a serialized entry. Columns that were added later are null. */
export function parseEntry(line: string): AuditEntry {
  const stored = JSON.parse(line) as Record<string, unknown>
  const entry = Object.fromEntries(COLUMNS.map(([property, column]) => [property, stored[column] ?? null]))
  return { ...entry, createdAt: new Date(String(stored.created_at)) } as AuditEntry
}
