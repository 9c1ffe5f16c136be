// Runs restores. The backup is verified completely before anything is written. Then the store is locked, and rows and
// files that differ from the backup are replaced until none differs, so a step can be repeated at any point. The queue
// runs the steps, one run at a time; the cron starts the next one after a crash.
import { and, eq, isNotNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { describeError } from "../../core/log"
import type { Job } from "../../core/queue/messages"
import { backupStore } from "../../core/storage/backups"
import { mediaStore } from "../../core/storage/media"
import { writeUnaudited } from "../../core/write/commit"
import { batch, type SiteDatabase, siteDatabase } from "../../db/client"
import { isUniqueViolation } from "../../db/errors"
import {
  type RestorePhase,
  type StoreBackup,
  type StoreRestore,
  storeBackups,
  storeRestores,
} from "../../db/schema/central/backups"
import { stores } from "../../db/schema/central/stores"
import { acrossSites } from "../../db/site-scope"
import { update } from "../../db/write"
import { currentMs } from "../../lib/clock"
import { ensureDisjointIdRange, reserveIds } from "../site-migration/id-ranges"
import { lockSite, unlockSite, writeThroughLock } from "../site-migration/lock"
import { chunkRows, DERIVED_TABLES, deleteByKeys, insertChunk, readTables } from "../site-migration/rows"
import { deleteSiteRows } from "../stores/delete-site-rows"
import { markFailed } from "../stores/provision"
import { loadStore } from "../stores/queries"
import { Blobs, CorruptBackup } from "./blobs"
import { finishRestore } from "./finish-restore"
import { listUnrestoredTables, type Manifest } from "./manifest"
import { type Pair, visitPairs } from "./merge"
import { readManifest } from "./read-manifest"
import { MAX_RESTORE_MS, START_POSITION } from "./restore"
import { findMissingFiles, type MediaFolder, restoreFiles, verifyFiles, visitExtraFiles } from "./restore-files"
import { IncompatibleBackup, matchTables, type RestoredTable } from "./restored-table"
import { readSchemaVersions } from "./schema-version"

/** A trigger may change rows that were restored already; a second round restores them again. */
const MAX_ROUNDS = 5

class RestoreFailed extends Error {
  override readonly name = "RestoreFailed"
}

/** The context of a restore's steps. */
interface Work {
  restore: StoreRestore
  manifest: Manifest
  tables: RestoredTable[]
  blobs: Blobs
  /** Null in a dry run of a restore as a new store. */
  db: SiteDatabase | null
  media: MediaFolder
  end: number
}

/**
 * Runs one step of a restore. Idempotent.
 * @returns the next step; null when the restore is complete or has failed
 */
export async function runRestore(ctx: Ctx, storeId: string, id: string): Promise<Job | null> {
  const [[restore], [backup], [store]] = await batch(ctx.db, [
    ctx.db.select().from(storeRestores).where(eq(storeRestores.id, id)),
    ctx.db
      .select()
      .from(storeBackups)
      .where(eq(storeBackups.id, selectBackupId(id))),
    ctx.db.select({ seq: stores.seq, database: stores.database }).from(stores).where(eq(stores.id, storeId)),
  ])
  if (!restore?.dueAt) return null
  try {
    if (currentMs() - restore.createdAt.getTime() > MAX_RESTORE_MS)
      throw new RestoreFailed("It was not done within a day.")
    if (restore.storeSeq !== null && (store?.seq !== restore.storeSeq || store.database !== restore.database))
      throw new RestoreFailed("The store was deleted or migrated.")
    if (!backup) throw new CorruptBackup("the backup was deleted")
    const next = await runStep(ctx, restore, backup)
    return next ? { job: "restore", store: storeId, restore: id } : null
  } catch (cause) {
    if (!isPermanent(cause)) throw cause
    ctx.log.error("a restore failed", cause, { store: storeId, restore: id })
    await failRestore(ctx, restore, cause)
    return null
  }
}

const selectBackupId = (restoreId: string) =>
  sql`(select ${storeRestores.backupId} from ${storeRestores} where ${storeRestores.id} = ${restoreId})`

const isPermanent = (cause: unknown): boolean =>
  cause instanceof RestoreFailed ||
  cause instanceof CorruptBackup ||
  cause instanceof IncompatibleBackup ||
  isUniqueViolation(cause)

/** @returns whether there is another step */
async function runStep(ctx: Ctx, restore: StoreRestore, backup: StoreBackup): Promise<boolean> {
  const work = await openWork(ctx, restore, backup)
  if (LOCKED_PHASES.includes(restore.phase)) await lockSite(openDatabase(work), lockOf(restore), ctx.now)
  const isComplete = await STEPS[restore.phase](ctx, work)
  const phase = isComplete ? NEXT_PHASES[restore.phase](restore) : restore.phase
  if (isComplete) restore.position = START_POSITION
  const { position, differences, idOffset, rounds } = restore
  const isDone = phase === "done"
  await writeUnaudited(ctx, "progress", [
    update(storeRestores)
      .set({
        phase,
        position,
        differences,
        idOffset,
        rounds,
        ...(isDone && { dueAt: null, completedAt: new Date(currentMs()) }),
      })
      .where(and(eq(storeRestores.id, restore.id), eq(storeRestores.phase, restore.phase))),
  ])
  return !isDone
}

async function openWork(ctx: Ctx, restore: StoreRestore, backup: StoreBackup): Promise<Work> {
  const db = siteDatabase(ctx.env, restore.database, restore.storeId)
  const manifest = await readManifest(ctx, backup)
  const [current, schema] = await Promise.all([
    readTables(
      db,
      manifest.tables.map(({ name }) => name),
    ),
    readSchemaVersions(ctx, restore.database, restore.storeId),
  ])
  return {
    restore,
    manifest,
    tables: matchTables(manifest, current, schema.sites),
    blobs: new Blobs(backupStore(ctx.env), backup.storeSeq),
    db: restore.storeSeq === null ? null : db,
    media: { bucket: mediaStore(ctx.env), prefix: `${restore.storeId}/` },
    end: ctx.run.endsAt,
  }
}

/** Phases that write, or during which nothing else may write. */
const LOCKED_PHASES: readonly RestorePhase[] = ["deleting", "inserting", "files", "checking"]

/** @throws Error in a dry run, which writes nothing */
function openDatabase({ db }: Work): SiteDatabase {
  if (!db) throw new Error("a dry run writes nothing")
  return db
}

/** The phase after each, once it is complete. */
const NEXT_PHASES: Record<RestorePhase, (restore: StoreRestore) => RestorePhase> = {
  verifying: () => "comparing",
  comparing: ({ isDryRun }) => (isDryRun ? "done" : "deleting"),
  deleting: () => "inserting",
  inserting: () => "files",
  files: () => "checking",
  checking: ({ position }) => (position.differs ? "deleting" : "finishing"),
  finishing: () => "done",
  done: () => "done",
  failed: () => "failed",
}

/** Runs a phase for one run's time; returns whether it is complete. */
type Step = (ctx: Ctx, work: Work) => Promise<boolean>

const STEPS: Record<RestorePhase, Step> = {
  verifying: verify,
  comparing: compare,
  deleting: deleteDifferent,
  inserting: insertMissing,
  files: restoreAllFiles,
  checking: check,
  finishing: async (ctx, { restore, manifest }) => {
    await finishRestore(ctx, restore, manifest)
    return true
  },
  done: async () => true,
  failed: async () => true,
}

/** Reads the whole backup, then chooses the row ids. */
async function verify(ctx: Ctx, { restore, manifest, tables, blobs, end }: Work): Promise<boolean> {
  const parts = manifest.tables.flatMap((table) => table.parts)
  const { position } = restore
  while (position.index < parts.length + manifest.files.length) {
    if (currentMs() >= end) return false
    const [part, files] = [parts[position.index], manifest.files[position.index - parts.length]]
    if (part) await blobs.readLines(part)
    else if (files) await verifyFiles(blobs, files)
    position.index++
  }
  if (restore.isDryRun) return true
  const { lowest, highest } = await findIdRange(tables, blobs)
  if (restore.idOffset === null)
    restore.idOffset = highest ? (await reserveIds(ctx, restore.database, highest - lowest + 1)) - lowest : 0
  else await ensureDisjointIdRange(ctx, restore.database, highest)
  return true
}

/** Finds the lowest and the highest generated row id of a backup. */
async function findIdRange(
  tables: readonly RestoredTable[],
  blobs: Blobs,
): Promise<{ lowest: number; highest: number }> {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0]
  for (const { key, backup } of tables) {
    const [first, last] = [backup.parts[0], backup.parts.at(-1)]
    if (key.join() !== "id" || !first || !last) continue
    const idOf = (line: string | undefined) => Number(JSON.parse(line ?? "[]")[backup.columns.indexOf("id")])
    lowest = Math.min(lowest, idOf((await blobs.readLines(first))[0]))
    highest = Math.max(highest, idOf((await blobs.readLines(last)).at(-1)))
  }
  return { lowest, highest }
}

/** Visits the differing rows of all tables for one run's time; returns whether all were visited. */
async function visitTables(
  { restore, tables, blobs, db, end }: Work,
  visit: (table: RestoredTable, pairs: readonly Pair[]) => Promise<void>,
): Promise<boolean> {
  const source = { db, blobs, mapping: { siteId: restore.storeId, idOffset: restore.idOffset ?? 0 } }
  const { position } = restore
  for (; position.index < tables.length; Object.assign(position, { index: position.index + 1, key: null, part: 0 })) {
    const table = tables[position.index]
    if (!table) break
    const isComplete = await visitPairs(source, table, position, end, async (pairs) => {
      const different = pairs.filter(({ backup, current }) => backup !== current)
      if (different.length) await visit(table, different)
    })
    if (!isComplete) return false
  }
  return true
}

/** Counts the differences. Nothing is locked, so the counts of a store that is in use are approximate. */
async function compare(ctx: Ctx, work: Work): Promise<boolean> {
  const { tables, files } = work.restore.differences
  const areRowsCompared = await visitTables(work, async (table, pairs) => {
    const { name } = table
    await assertIdsAreFree(ctx, work.restore, table, pairs)
    tables[name] ??= { added: 0, removed: 0, changed: 0 }
    for (const { backup, current } of pairs)
      tables[name][backup === null ? "removed" : current === null ? "added" : "changed"]++
  })
  return (
    areRowsCompared &&
    (await visitFiles(work, {
      missing: async (entries) => {
        for (const { exists } of entries) files[exists ? "changed" : "added"]++
      },
      extra: async (keys) => {
        files.removed += keys.length
      },
    }))
  )
}

/**
 * Asserts that no other store has rows with the ids of rows to insert. That happens only if the database itself was
 * restored to an earlier time, and generated the same ids again.
 * @throws RestoreFailed
 */
async function assertIdsAreFree(
  ctx: Ctx,
  { database, storeId, idOffset }: StoreRestore,
  { name, key }: RestoredTable,
  pairs: readonly Pair[],
): Promise<void> {
  const ids = pairs.flatMap((pair) => (pair.current === null ? pair.key : []))
  if (key.join() !== "id" || idOffset !== 0 || !ids.length) return
  const scope = acrossSites("restored_ids")
  const db = siteDatabase(ctx.env, database, scope)
  const [taken] = await db.select({ id: sql<number>`id` }).from(
    sql`${sql.identifier(name)} where id in (select value from json_each(${JSON.stringify(ids)}))
      and site_id <> ${storeId} and ${scope.always} limit 1`,
  )
  if (taken)
    throw new RestoreFailed(`Another store has the row ${taken.id} of ${name}. Restore as a new store with --to.`)
}

const lockOf = ({ storeId, id }: StoreRestore) => ({ storeId, migrationId: id })

/** Deletes rows that the backup does not contain, or contains with other values. */
async function deleteDifferent(_: Ctx, work: Work): Promise<boolean> {
  const { restore } = work
  const db = openDatabase(work)
  const lock = lockOf(restore)
  const isCleared = await deleteSiteRows(db, restore.storeId, listUnrestoredTables(), work.end, (write) =>
    writeThroughLock(lock, [write]),
  )
  if (!isCleared) return false
  return visitTables(work, async (table, pairs) => {
    const keys = pairs.flatMap(({ key, current }) => (current === null ? [] : [key]))
    if (DERIVED_TABLES.includes(table.name) || !keys.length) return
    await writeUnaudited(
      { db },
      "audited_elsewhere",
      writeThroughLock(lock, [deleteByKeys(table, restore.storeId, keys)]),
    )
  })
}

/** Inserts the rows that are missing. Derived tables come last, and are replaced: triggers have filled them. */
async function insertMissing(_: Ctx, work: Work): Promise<boolean> {
  const { restore } = work
  const db = openDatabase(work)
  return visitTables(work, async (table, pairs) => {
    const isDerived = DERIVED_TABLES.includes(table.name)
    const stale = isDerived ? pairs.flatMap(({ key, current }) => (current === null ? [] : [key])) : []
    const rows = pairs.flatMap(({ backup, current }) =>
      backup !== null && (isDerived || current === null) ? [backup] : [],
    )
    await writeUnaudited(
      { db },
      "audited_elsewhere",
      writeThroughLock(lockOf(restore), [
        ...(stale.length ? [deleteByKeys(table, restore.storeId, stale)] : []),
        ...chunkRows(rows).map((chunk) => insertChunk(table, restore.storeId, chunk)),
      ]),
    )
  })
}

interface FileVisitor {
  missing(entries: Awaited<ReturnType<typeof findMissingFiles>>): Promise<void>
  extra(keys: string[]): Promise<void>
}

/** Visits the files that differ for one run's time, after the tables; returns whether all were visited. */
async function visitFiles(work: Work, visitor: FileVisitor): Promise<boolean> {
  const { restore, manifest, tables, blobs, media, end } = work
  const { position } = restore
  for (; position.index - tables.length < manifest.files.length; position.index++) {
    if (currentMs() >= end) return false
    const part = manifest.files[position.index - tables.length]
    const missing = part ? await findMissingFiles(media, blobs, part) : []
    if (missing.length) await visitor.missing(missing)
  }
  const last = await visitExtraFiles(media, blobs, manifest.files, position.object, end, (keys) => visitor.extra(keys))
  position.object = last
  return last === null
}

async function restoreAllFiles(_: Ctx, work: Work): Promise<boolean> {
  const { restore, tables, media, blobs } = work
  restore.position.index = Math.max(restore.position.index, tables.length)
  return visitFiles(work, {
    missing: (missing) =>
      restoreFiles(
        media,
        blobs,
        missing.map(({ entry }) => entry),
      ),
    extra: (keys) => media.bucket.delete(keys),
  })
}

/** Compares everything again. */
async function check(ctx: Ctx, work: Work): Promise<boolean> {
  const { restore } = work
  const found = async () => {
    restore.position.differs = true
  }
  const isComplete = (await visitTables(work, found)) && (await visitFiles(work, { missing: found, extra: found }))
  if (!isComplete || !restore.position.differs) return isComplete
  restore.rounds += 1
  if (restore.rounds >= MAX_ROUNDS) throw new RestoreFailed("The store still differs from the backup.")
  ctx.log.info("a restore needs another round", { store: restore.storeId, round: restore.rounds })
  return true
}

/** Ends a restore and unlocks the store. */
async function failRestore(ctx: Ctx, restore: StoreRestore, cause: unknown): Promise<void> {
  const { storeId, storeSeq, database } = restore
  if (!restore.isDryRun) await unlockSite(siteDatabase(ctx.env, database, storeId), lockOf(restore))
  if (restore.isNew && storeSeq !== null) await failStore(ctx, storeId, storeSeq, cause)
  await writeUnaudited(ctx, "progress", [
    update(storeRestores)
      .set({ phase: "failed", dueAt: null, error: describeError(cause).error, completedAt: new Date(currentMs()) })
      .where(and(eq(storeRestores.id, restore.id), isNotNull(storeRestores.dueAt))),
  ])
}

async function failStore(ctx: Ctx, storeId: string, seq: number, cause: unknown): Promise<void> {
  try {
    const facts = await loadStore(ctx, storeId)
    if (facts.store.seq === seq) await markFailed(ctx, facts, cause)
  } catch (error) {
    // The store was deleted.
    if (!(error instanceof Refusal)) throw error
  }
}
