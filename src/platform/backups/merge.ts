// Traverses a table of a backup and of a database together, in the order of the primary key.
import type { SiteDatabase } from "../../db/client"
import { currentMs } from "../../lib/clock"
import { type KeyValue, readRowsByKey } from "../site-migration/rows"
import type { Blobs } from "./blobs"
import { isBackedUpCounter } from "./manifest"
import { createRowReader, type Mapping, type RestoredTable } from "./restored-table"

/** Rows read from the database per query. */
const ROWS_PER_READ = 2_000

/** Pairs that are handled together, and the maximum characters of their rows. */
const PAIRS_PER_VISIT = 500
const MAX_VISIT_LENGTH = 1_000_000

/** The row of a key in the backup and in the database; null where there is none. */
export interface Pair {
  key: KeyValue[]
  backup: string | null
  current: string | null
}

export interface Cursor {
  /** The last key that was visited; null at the beginning. */
  key: KeyValue[] | null
  /** The part of the backup that contains the next one. */
  part: number
}

interface Source {
  /** Null for a store that does not exist yet. */
  db: SiteDatabase | null
  blobs: Blobs
  mapping: Mapping
}

/**
 * Visits the rows of a table that are in the backup, in the database or in both.
 * @param cursor where to start; advanced after each visit
 * @param end when to stop, in milliseconds since 1970
 * @returns whether all rows were visited
 * @throws CorruptBackup
 */
export async function visitPairs(
  source: Source,
  table: RestoredTable,
  cursor: Cursor,
  end: number,
  visit: (pairs: readonly Pair[]) => Promise<void>,
): Promise<boolean> {
  let pairs: Pair[] = []
  let length = 0
  let part = cursor.part
  const flush = async () => {
    if (pairs.length) await visit(pairs)
    cursor.key = pairs.at(-1)?.key ?? cursor.key
    cursor.part = part
    pairs = []
    length = 0
  }
  for await (const merged of merge(source, table, { ...cursor })) {
    pairs.push(merged.pair)
    part = merged.part
    length += (merged.pair.backup?.length ?? 0) + (merged.pair.current?.length ?? 0)
    if (pairs.length < PAIRS_PER_VISIT && length < MAX_VISIT_LENGTH) continue
    await flush()
    if (currentMs() >= end) return false
  }
  await flush()
  return true
}

async function* merge(
  { db, blobs, mapping }: Source,
  table: RestoredTable,
  cursor: Cursor,
): AsyncGenerator<{ pair: Pair; part: number }> {
  const stored = readStored(blobs, table, mapping, cursor)
  const existing = db ? readExisting(db, mapping.siteId, table, cursor.key) : nothing()
  let [left, right] = await Promise.all([stored.next(), existing.next()])
  let part = cursor.part
  while (!left.done || !right.done) {
    const order = left.done ? 1 : right.done ? -1 : compareKeys(left.value.key, right.value.key)
    const backup = order <= 0 && !left.done ? left.value : null
    const current = order >= 0 && !right.done ? right.value : null
    part = backup?.part ?? part
    const key = backup?.key ?? current?.key ?? []
    yield { pair: { key, backup: backup?.row ?? null, current: current?.row ?? null }, part }
    if (backup) left = await stored.next()
    if (current) right = await existing.next()
  }
}

/** A store that does not exist yet has no rows. */
async function* nothing(): AsyncGenerator<{ row: string; key: KeyValue[] }> {
  // Yields no row.
}

async function* readStored(blobs: Blobs, table: RestoredTable, mapping: Mapping, { key: after, part: start }: Cursor) {
  const readRow = createRowReader(table, mapping)
  for (const [offset, stored] of table.backup.parts.slice(start).entries()) {
    for (const line of await blobs.readLines(stored)) {
      const read = readRow(line)
      if (after === null || compareKeys(read.key, after) > 0) yield { ...read, part: start + offset }
    }
  }
}

async function* readExisting(
  db: SiteDatabase,
  siteId: string,
  table: RestoredTable,
  start: readonly KeyValue[] | null,
) {
  for (let after = start; ; ) {
    const rows = await readRowsByKey(db, siteId, table, after, ROWS_PER_READ)
    yield* table.name === "counters" ? rows.filter(({ key: [list] }) => isBackedUpCounter(String(list))) : rows
    const last = rows.at(-1)
    if (!last) return
    after = last.key
  }
}

/** Compares keys like SQLite: numbers by value, texts by their characters. */
function compareKeys(a: readonly KeyValue[], b: readonly KeyValue[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? value
    if (value < other) return -1
    if (value > other) return 1
  }
  return 0
}
