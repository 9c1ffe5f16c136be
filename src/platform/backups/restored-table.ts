// Reads the rows of a backup as they are restored: in the columns that the database has now, with the id of the
// restored store, and with new row ids if the old ones are not free.

import type { KeyValue, Table } from "../site-migration/rows"
import { CorruptBackup } from "./blobs"
import type { Manifest, TableBackup } from "./manifest"

/** The backup does not fit the database. */
export class IncompatibleBackup extends Error {
  override readonly name = "IncompatibleBackup"
}

/** A table of a backup. */
export interface RestoredTable extends Table {
  backup: TableBackup
}

/** The changes to rows that are restored. */
export interface Mapping {
  siteId: string
  /** Added to every row id. */
  idOffset: number
}

/**
 * Matches the tables of a backup with those of the database. Columns that the backup lacks get their defaults; columns
 * and tables that were removed since are left out.
 * @param current the tables of the database
 * @param schema the last migration of the database
 * @throws IncompatibleBackup when the backup has a column or table that the database does not have yet
 */
export function matchTables(manifest: Manifest, current: readonly Table[], schema: string | null): RestoredTable[] {
  const from = manifest.schema.sites
  const isOlder = from !== null && schema !== null && from < schema
  const byName = new Map(current.map((table) => [table.name, table]))
  const reject = (what: string): never => {
    throw new IncompatibleBackup(
      `The database has no ${what}: the backup was made with migration ${from ?? "unknown"}, and the database has ${schema ?? "unknown"}.`,
    )
  }
  return manifest.tables.flatMap((backup) => {
    const table = byName.get(backup.name)
    if (!table?.columns.length) return isOlder || !backup.parts.length ? [] : reject(`table ${backup.name}`)
    const removed = backup.columns.find((column) => !table.columns.includes(column))
    if (removed && !isOlder) reject(`column ${backup.name}.${removed}`)
    const columns = backup.columns.filter((column) => table.columns.includes(column))
    return [{ ...table, columns, backup }]
  })
}

/** Integer columns with the id of a row. */
const ID_COLUMN = /^(id|\w+_id|reached_user|reached_device|last_device|first_recipient)$/

/** Statuses of notifications that would be sent again. */
const UNSENT = ["scheduled", "sending"]

/** Returns the function that reads a line of a backup as a restored row with its key. */
export function createRowReader(
  { name, columns, key, backup }: RestoredTable,
  { siteId, idOffset }: Mapping,
): (line: string) => { row: string; key: KeyValue[] } {
  const indexes = columns.map((column) => backup.columns.indexOf(column))
  const restore = (column: string, value: unknown): unknown => {
    if (column === "site_id") return siteId
    if (idOffset && typeof value === "number" && value > 0 && ID_COLUMN.test(column)) return value + idOffset
    if (name === "notifications" && column === "status" && UNSENT.includes(String(value))) return "cancelled"
    return value
  }
  return (line) => {
    const stored: unknown = JSON.parse(line)
    if (!Array.isArray(stored)) throw new CorruptBackup(`a row of ${name} is not an array`)
    const values = columns.map((column, index) => restore(column, stored[indexes[index] ?? -1]))
    return { row: JSON.stringify(values), key: key.map((column) => values[columns.indexOf(column)] as KeyValue) }
  }
}
