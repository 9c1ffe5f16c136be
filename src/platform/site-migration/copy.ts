// Copies a store's rows between two site databases. Both lock the store during the copy, so neither changes underneath
// it. The progress is stored in the target and updated in the same transaction as the rows, so any run can resume.

import { and, eq, sql } from "drizzle-orm"
import { toWriteConflict, writeUnaudited } from "../../core/write/commit"
import { batch, type SiteDatabase } from "../../db/client"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { siteLocks } from "../../db/schema/sites/site-locks"
import { inSite } from "../../db/site-scope"
import { type Write, writeSql } from "../../db/write"
import { currentMs } from "../../lib/clock"
import { deleteSiteRows } from "../stores/delete-site-rows"
import { isLockedBy, type SiteLock, unlockSite, writeThroughLock } from "./lock"
import {
  chunkRows,
  DERIVED_TABLES,
  insertChunk,
  listCopiedTables,
  nextProgress,
  type Progress,
  readRowsAfter,
  readTables,
  type Table,
} from "./rows"

/** Tables compared in one round trip. */
const COMPARE_BATCH = 4

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

/** The two databases differ in a store's rows. */
export class CopyMismatch extends Error {
  override readonly name = "CopyMismatch"
  readonly table: string

  constructor(table: string) {
    super(`the rows of ${table} differ from the source`)
    this.table = table
  }
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
  const tables = await readTables(source, listCopiedTables())
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
  const [rows = []] = await readRowsAfter(source, lock.storeId, [table], progress.after)
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
    readRowsAfter(source, lock.storeId, batchTables, progress.after),
    readRowsAfter(target, lock.storeId, batchTables, progress.after),
  ])
  const mismatch = batchTables.find(
    (_, index) => JSON.stringify(sourceRows[index]) !== JSON.stringify(targetRows[index]),
  )
  if (mismatch) throw new CopyMismatch(mismatch.name)
  return commitStep(target, lock, progress, nextProgress(progress, batchTables, sourceRows))
}

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

const deleteDerivedRows = (name: string, storeId: string): Write =>
  writeSql(sql`delete from ${sql.identifier(name)} where site_id = ${storeId}`)

/**
 * Deletes a store's rows from a database that its migration has locked, up to one step's budget, then the lock.
 * @returns whether everything is gone
 */
export async function deleteLockedRows(db: SiteDatabase, lock: SiteLock, end: number): Promise<boolean> {
  const [[state]] = await batch(db, [
    db.select({ migrationId: siteLocks.migrationId }).from(siteLocks).where(isLockedBy(lock)),
  ])
  // The lock is removed last. Without it, an earlier run finished but died before it could report that.
  if (!state) return true
  const names = [...listCopiedTables()].reverse()
  if (!(await deleteSiteRows(db, lock.storeId, names, end, (write) => writeThroughLock(lock, [write])))) return false
  await unlockSite(db, lock)
  return true
}
