// Copies a store's rows between two site databases. Both lock the store during the copy, so neither changes underneath
// it. The progress is stored in the target and updated in the same transaction as the rows, so any run can resume.

import { and, eq, type SQL, sql } from "drizzle-orm"
import { toWriteConflict, writeUnaudited } from "../../core/write/commit"
import { batch, type SiteDatabase } from "../../db/client"
import { literal } from "../../db/literal"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { siteLocks } from "../../db/schema/sites/site-locks"
import { inSite } from "../../db/site-scope"
import { keyColumns } from "../../db/site-tables"
import { abortUnlessTouched, type Write, writeSql } from "../../db/write"
import { currentMs } from "../../lib/clock"
import { deleteSiteRows } from "../stores/delete-site-rows"
import { listSiteTables } from "../stores/site-tables"

/** Names the lock of a store by a migration. */
export interface SiteLock {
  storeId: string
  migrationId: string
}

/** Rows read from a table per query. */
const ROWS_PER_READ = 200

/** Maximum characters of a table's rows per query: an isolate has 128 MB. */
const MAX_READ_LENGTH = 2_000_000

/** Maximum characters of the rows in one parameter. A character has up to 3 bytes, and D1 limits a value to 2 MB. */
const MAX_PARAMETER_LENGTH = 500_000

/** Tables compared in one round trip. */
const COMPARE_BATCH = 4

/** Tables that triggers fill while the others are copied. They are copied last, to match the source. */
const DERIVED_TABLES = ["counters", "inbox_counts"]

/** Tables that are not copied: the site's lock, and audit entries on their way to the central database. */
const EXCLUDED_TABLES = ["held_sites", "site_trail"]

/** Lists the tables to copy, in this order. */
export const listCopiedTables = (): string[] => {
  const tables = listSiteTables().filter((name) => !EXCLUDED_TABLES.includes(name) && !DERIVED_TABLES.includes(name))
  return [...tables, ...DERIVED_TABLES]
}

const isLockedBy = ({ migrationId }: SiteLock) => eq(siteLocks.migrationId, migrationId)

/** Locks a store in a database against all writes but those of the migration. */
export async function lockSite(db: SiteDatabase, { storeId, migrationId }: SiteLock, now: Date): Promise<void> {
  const state = { migrationId, open: false, tableIndex: 0, after: 0, lockedAt: now }
  await writeUnaudited({ db }, "coordination", [
    inSite(storeId)
      .insert(siteLocks)
      .values(state)
      .onConflictDoUpdate({
        target: siteLocks.siteId,
        set: state,
        setWhere: sql`${siteLocks.migrationId} <> ${migrationId}`,
      }),
  ])
}

/**
 * Removes the incarnation of an earlier store of the same subdomain from the target, unless the target is already
 * locked: then it is the copied one.
 */
export async function removeStaleIncarnation(target: SiteDatabase, { storeId }: SiteLock): Promise<void> {
  const isSiteLocked = sql`exists (select 1 from ${siteLocks} where ${siteLocks.siteId} = ${storeId})`
  await writeUnaudited({ db: target }, "cleanup", [
    inSite(storeId).remove(siteIncarnations).where(sql`not ${isSiteLocked}`),
  ])
}

/** Unlocks a store. */
export async function unlockSite(db: SiteDatabase, lock: SiteLock): Promise<void> {
  await writeUnaudited({ db }, "coordination", [inSite(lock.storeId).remove(siteLocks).where(isLockedBy(lock))])
}

/** Builds a batch that opens the lock, writes and closes it again. Other transactions never see the lock open. */
const writeThroughLock = (
  lock: SiteLock,
  writes: readonly Write[],
  progress: Partial<Progress> = {},
  condition?: SQL,
) => [
  inSite(lock.storeId)
    .update(siteLocks)
    .set({ ...progress, open: true })
    .where(and(isLockedBy(lock), condition)),
  abortUnlessTouched,
  ...writes,
  inSite(lock.storeId).update(siteLocks).set({ open: false }).where(isLockedBy(lock)),
]

/** Finds the store's highest row id among the tables with generated ids. */
export async function findHighestId(db: SiteDatabase, storeId: string): Promise<number> {
  const names = await listAutoincrementTables(db)
  const results = await batch(
    db,
    names.map((name) =>
      db
        .select({ highest: sql<number | null>`max(rowid)` })
        .from(sql`${sql.identifier(name)}`)
        .where(sql`site_id = ${storeId}`),
    ),
  )
  return Math.max(0, ...results.map(([row]) => row?.highest ?? 0))
}

async function listAutoincrementTables(db: SiteDatabase): Promise<string[]> {
  const [rows] = await batch(db, [
    db
      .select({ name: sql<string>`name` })
      .from(sql`sqlite_master`)
      .where(sql`type = 'table' and sql like '%AUTOINCREMENT%'`),
  ])
  return rows.map(({ name }) => name).filter((name) => listCopiedTables().includes(name))
}

/** The progress of a copy. */
interface Progress {
  /** Index into `listCopiedTables`, which is traversed twice: to copy, then to compare. */
  tableIndex: number
  /** The last row's key, or the number of rows for tables without a numeric key. */
  after: number
}

/** The two databases differ in a store's rows. */
export class CopyMismatch extends Error {
  override readonly name = "CopyMismatch"
  readonly table: string

  constructor(table: string) {
    super(`the rows of ${table} differ from the source`)
    this.table = table
  }
}

interface Table {
  name: string
  columns: readonly string[]
}

/**
 * Resumes the copy of a store's rows; once all are copied, compares them with the source.
 * @param end when to stop, in milliseconds since 1970
 * @returns whether everything is copied and identical
 * @throws CopyMismatch
 */
export async function resumeCopy(
  source: SiteDatabase,
  target: SiteDatabase,
  lock: SiteLock,
  end: number,
): Promise<boolean> {
  const [[start]] = await batch(target, [
    target.select({ tableIndex: siteLocks.tableIndex, after: siteLocks.after }).from(siteLocks).where(isLockedBy(lock)),
  ])
  if (!start) throw new Error("the target has no lock of this migration")
  const tables = await readTables(source)
  for (let progress: Progress = start; progress.tableIndex < 2 * tables.length; ) {
    if (currentMs() >= end) return false
    const step = progress.tableIndex < tables.length ? copyRows : compareRows
    progress = await step(source, target, lock, tables.slice(progress.tableIndex % tables.length), progress)
  }
  return true
}

/** Copies the next rows of the first table. */
async function copyRows(
  source: SiteDatabase,
  target: SiteDatabase,
  lock: SiteLock,
  [table]: readonly Table[],
  progress: Progress,
): Promise<Progress> {
  if (!table) throw new Error("there is no table to copy")
  const [rows = []] = await readRowsAfter(source, lock, [table], progress.after)
  const writes = chunkRows(rows.map(({ row }) => row)).map((chunk) => insertChunk(table, lock.storeId, chunk))
  // Triggers have already filled these tables, possibly with rows that the source does not have.
  if (DERIVED_TABLES.includes(table.name) && progress.after === 0)
    writes.unshift(deleteDerivedRows(table.name, lock.storeId))
  return commitStep(target, lock, progress, nextProgress(progress, [table], [rows]), writes)
}

/**
 * Compares the next rows of some tables: a trigger may have changed the copied rows, or the target may have had others
 * before.
 */
async function compareRows(
  source: SiteDatabase,
  target: SiteDatabase,
  lock: SiteLock,
  tables: readonly Table[],
  progress: Progress,
): Promise<Progress> {
  const batchTables = tables.slice(0, COMPARE_BATCH)
  const [sourceRows, targetRows] = await Promise.all([
    readRowsAfter(source, lock, batchTables, progress.after),
    readRowsAfter(target, lock, batchTables, progress.after),
  ])
  const mismatch = batchTables.find(
    (_, index) => JSON.stringify(sourceRows[index]) !== JSON.stringify(targetRows[index]),
  )
  if (mismatch) throw new CopyMismatch(mismatch.name)
  return commitStep(target, lock, progress, nextProgress(progress, batchTables, sourceRows))
}

/** Returns the progress after these rows: at the first table that may have more, or past them all. */
function nextProgress(
  { tableIndex, after }: Progress,
  tables: readonly Table[],
  read: readonly (readonly Row[])[],
): Progress {
  const index = read.findIndex(mayHaveMore)
  const [table, rows] = [tables[index], read[index]]
  if (!table || !rows) return { tableIndex: tableIndex + tables.length, after: 0 }
  const offset = (index === 0 ? after : 0) + rows.length
  return { tableIndex: tableIndex + index, after: hasRowidKey(table.name) ? (rows.at(-1)?.key ?? 0) : offset }
}

/** Whether a table may have more rows than were read. */
const mayHaveMore = (rows: readonly Row[]): boolean =>
  rows.length === ROWS_PER_READ || rows.reduce((sum, { row }) => sum + row.length, 0) >= MAX_READ_LENGTH

async function commitStep(
  target: SiteDatabase,
  lock: SiteLock,
  from: Progress,
  to: Progress,
  writes: readonly Write[] = [],
): Promise<Progress> {
  const isNext = and(eq(siteLocks.tableIndex, from.tableIndex), eq(siteLocks.after, from.after))
  await toWriteConflict(writeUnaudited({ db: target }, "progress", writeThroughLock(lock, writes, to, isNext)))
  return to
}

/** Whether a table's key is its rowid. */
const hasRowidKey = (name: string): boolean => keyColumns(name).join() === "rowid"

/** Reads the tables to copy, with their columns. */
async function readTables(db: SiteDatabase): Promise<Table[]> {
  const names = listCopiedTables()
  const results = await batch(
    db,
    names.map((name) => db.select({ name: sql<string>`name` }).from(sql`pragma_table_info(${name})`)),
  )
  return names.map((name, index) => ({ name, columns: (results[index] ?? []).map((column) => column.name) }))
}

/** A row's values in column order, as a JSON array, and its rowid; 0 for tables without one. */
interface Row {
  row: string
  key: number
}

/**
 * Reads rows of each table. All columns are integers or text, which JSON does not change. The arrays are built here and
 * not by SQLite: `json_array` takes 32 arguments on D1, and escaping can lengthen a row beyond the 2 MB of a value.
 * @param after where to continue in the first table; the others start at the beginning
 */
async function readRowsAfter(
  db: SiteDatabase,
  { storeId }: SiteLock,
  tables: readonly Table[],
  after: number,
): Promise<Row[][]> {
  const results = await batch(
    db,
    tables.map((table, index) => selectNextRows(db, storeId, table, index === 0 ? after : 0)),
  )
  return tables.map(({ columns }, index) =>
    (results[index] ?? []).map((values) => ({
      row: JSON.stringify(columns.map((column) => values[column])),
      key: Number(values[ROW_KEY]),
    })),
  )
}

/** The result column with a row's rowid. */
const ROW_KEY = "~rowid"

function selectNextRows(db: SiteDatabase, storeId: string, { name, columns }: Table, after: number) {
  const table = sql.identifier(name)
  // Aliased, because result columns are matched by name.
  const values = columns.map((column) => [column, sql<unknown>`${sql.identifier(column)}`.as(column)])
  const select = (key: SQL) => db.select(Object.fromEntries([...values, [ROW_KEY, key.as(ROW_KEY)]]))
  return hasRowidKey(name)
    ? select(sql`rowid`)
        .from(sql`${table}`)
        .where(
          sql`site_id = ${storeId} and rowid > ${after} and rowid <= ${selectLastRowid(storeId, name, columns, after)}`,
        )
        .orderBy(sql`rowid`)
    : select(sql`0`)
        .from(sql`${table}`)
        .where(sql`site_id = ${storeId}`)
        .orderBy(joinIdentifiers(keyColumns(name)))
        .limit(ROWS_PER_READ)
        .offset(after)
}

/** Selects the last rowid of a slice, limited by total length and by number of rows. */
function selectLastRowid(storeId: string, name: string, columns: readonly string[], after: number): SQL {
  const lengths = columns.map((column) => sql`coalesce(length(${sql.identifier(column)}), 0)`)
  return sql`(select max(key) from (
    select key, sum(size) over (order by key rows between unbounded preceding and 1 preceding) as before from (
      select rowid as key, ${sql.join(lengths, sql` + `)} as size from ${sql.identifier(name)}
      where site_id = ${storeId} and rowid > ${after} order by rowid limit ${ROWS_PER_READ}))
    where before is null or before < ${MAX_READ_LENGTH})`
}

const joinIdentifiers = (names: readonly string[]): SQL => sql.join(names.map(sql.identifier), sql`, `)

/** Groups rows that fit into one parameter; a longer row is alone. */
function chunkRows(rows: readonly string[]): string[][] {
  const chunks: string[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const row of rows) {
    if (size + row.length > MAX_PARAMETER_LENGTH) {
      chunks.push([])
      size = 0
    }
    chunks.at(-1)?.push(row)
    size += row.length
  }
  return chunks
}

/** Inserts rows as one JSON parameter; a row that is too long for that has a parameter per column. */
function insertChunk({ name, columns }: Table, siteId: string, rows: readonly string[]): Write {
  const insertInto = sql`insert into ${sql.identifier(name)} (${joinIdentifiers(columns)})`
  const values = (valueAt: (index: number) => SQL) =>
    sql.join(
      columns.map((column, index) => (column === "site_id" ? sql`${siteId}` : valueAt(index))),
      sql`, `,
    )
  const [row = ""] = rows
  if (row.length > MAX_PARAMETER_LENGTH) {
    const stored: unknown[] = JSON.parse(row)
    return writeSql(sql`${insertInto} values (${values((index) => sql`${stored[index]}`)})`)
  }
  return writeSql(
    sql`${insertInto} select ${values((index) => sql`value ->> ${literal(index)}`)} from json_each(${`[${rows.join()}]`})`,
  )
}

const deleteDerivedRows = (name: string, storeId: string): Write =>
  writeSql(sql`delete from ${sql.identifier(name)} where site_id = ${storeId}`)

/**
 * Deletes a store's rows from a database that its migration has locked, up to one step's budget, then the lock.
 * @returns whether everything is gone
 */
export async function deleteLockedRows(db: SiteDatabase, lock: SiteLock): Promise<boolean> {
  const [[state]] = await batch(db, [
    db.select({ migrationId: siteLocks.migrationId }).from(siteLocks).where(isLockedBy(lock)),
  ])
  // The lock is removed last. Without it, an earlier run finished but died before it could report that.
  if (!state) return true
  const names = [...listCopiedTables()].reverse()
  if (!(await deleteSiteRows(db, lock.storeId, names, (write) => writeThroughLock(lock, [write])))) return false
  await unlockSite(db, lock)
  return true
}
