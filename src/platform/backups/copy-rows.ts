// Copies the rows of a locked store to blobs.
import type { SiteDatabase } from "../../db/client"
import { currentMs } from "../../lib/clock"
import { nextProgress, type Progress, type Row, readRowsAfter, readTables, type Table } from "../site-migration/rows"
import type { Blobs } from "./blobs"
import { isBackedUpCounter, listBackupTables, type TableBackup } from "./manifest"

/** Rows read from a table per query. */
const ROWS_PER_READ = 2_000

/** Tables read in one round trip. */
const TABLES_PER_READ = 4

/** Characters of a part: an isolate has 128 MB. */
const PART_LENGTH = 1_000_000

/** The progress of a copy. */
export interface RowProgress extends Progress {
  tables: TableBackup[]
}

/**
 * Continues the copy of a locked store's rows.
 * @param end when to stop, in milliseconds since 1970
 * @returns whether all rows are copied
 */
export async function continueRowCopy(
  db: SiteDatabase,
  storeId: string,
  blobs: Blobs,
  progress: RowProgress,
  end: number,
): Promise<boolean> {
  const tables = await readTables(db, listBackupTables())
  const writer = new PartWriter(blobs, progress.tables)
  // lint: each part of a store, which has too many rows for one query
  while (progress.tableIndex < tables.length) {
    const slice = tables.slice(progress.tableIndex, progress.tableIndex + TABLES_PER_READ)
    const read = await readRowsAfter(db, storeId, slice, progress.after, ROWS_PER_READ)
    const next = nextProgress(progress, slice, read, ROWS_PER_READ)
    // The rows of tables after the next position are read again.
    const last = next.tableIndex - progress.tableIndex
    for (const [index, table] of slice.entries()) {
      if (index < last || (index === last && next.after > 0)) await writer.add(table, read[index] ?? [])
    }
    Object.assign(progress, next)
    if (currentMs() >= end) break
  }
  await writer.flush()
  return progress.tableIndex >= tables.length
}

/** Collects rows of one table after another, and stores them in parts. */
class PartWriter {
  readonly #blobs: Blobs
  readonly #tables: TableBackup[]
  #lines: string[] = []
  #length = 0

  constructor(blobs: Blobs, tables: TableBackup[]) {
    this.#blobs = blobs
    this.#tables = tables
  }

  async add({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    if (this.#tables.at(-1)?.name !== name) {
      await this.flush()
      this.#tables.push({ name, columns, parts: [] })
    }
    for (const { row } of rows) {
      if (name === "counters" && !isBackedUpCounter(String(JSON.parse(row)[columns.indexOf("list")]))) continue
      this.#lines.push(row)
      this.#length += row.length
      if (this.#length >= PART_LENGTH) await this.flush()
    }
  }

  async flush(): Promise<void> {
    if (this.#lines.length) this.#tables.at(-1)?.parts.push(await this.#blobs.putLines(this.#lines))
    this.#lines = []
    this.#length = 0
  }
}
