// Backs up stores. The files are copied first; then the store is locked, and its rows and the files that were added
// meanwhile are copied, so that both belong together. Reads work as usual during the lock, and writes are refused with
// a retry hint. The queue runs the steps, one run at a time. A run may die at any point; the cron starts the next one.
import { and, desc, eq, isNotNull, isNull, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { describeError } from "../../core/log"
import { startJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import type { Job } from "../../core/queue/messages"
import { backupStore } from "../../core/storage/backups"
import { mediaStore } from "../../core/storage/media"
import { applyChange, type Change, writeUnaudited } from "../../core/write/commit"
import { QUEUE_GRACE_MS } from "../../core/write/events"
import { batch, siteDatabase } from "../../db/client"
import { type BackupPhase, type StoreBackup, storeBackups } from "../../db/schema/central/backups"
import { domains } from "../../db/schema/central/domains"
import { serverTokens, siteSettings } from "../../db/schema/central/sites"
import { stores } from "../../db/schema/central/stores"
import { abortWhere, insert, update } from "../../db/write"
import { currentMs } from "../../lib/clock"
import { sha256 } from "../../lib/hash"
import { addMs, HOUR, MINUTE } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import { lockSite, unlockSite } from "../site-migration/lock"
import { loadStore } from "../stores/queries"
import { assertProvisioned } from "../stores/rules"
import type { StoreDetails } from "../stores/schemas"
import { Blobs } from "./blobs"
import { continueFileList, type FileProgress } from "./copy-files"
import { continueRowCopy, type RowProgress } from "./copy-rows"
import { computeFingerprints } from "./fingerprint"
import { type CentralRows, FORMAT_VERSION, type Manifest, manifestKey, progressKey } from "./manifest"
import { readManifest } from "./read-manifest"
import { abortWhileCopied, findRunningBackup, findRunningCopy } from "./running"
import { readSchemaVersions } from "./schema-version"

/** A backup that has locked its store for longer than this fails, so that the store accepts writes again. */
const MAX_LOCK_MS = 10 * MINUTE

/** A backup that is not done by then fails. */
const MAX_DURATION_MS = 24 * HOUR

/** The progress of a running backup. */
interface Progress {
  /** The files before the store was locked. */
  early: FileProgress
  rows: RowProgress
  files: FileProgress
  /** When the store was locked, in milliseconds since 1970; null before. */
  lockedAt: number | null
  /** The contents of the backup. Set when the manifest is stored, before the store is unlocked. */
  result?: BackupResult
}

type BackupResult = Pick<StoreBackup, "fingerprint" | "manifestHash" | "rows" | "files" | "bytes">

/**
 * Starts a backup of a store.
 * @returns the backup; the running one if there is one
 * @throws Refusal `not_found`, `not_provisioned`; `illegal_transition` while the store is being restored or migrated
 */
export async function startBackup(ctx: Ctx, storeId: string): Promise<StoreBackup> {
  const backup = await applyChange(
    ctx,
    async () => {
      const [facts, running, isCopied] = await Promise.all([
        loadStore(ctx, storeId),
        findRunningBackup(ctx, storeId),
        findRunningCopy(ctx, storeId),
      ])
      return { facts, running, isCopied }
    },
    ({ facts, running, isCopied }) => {
      assertProvisioned(facts.store)
      if (running) return { result: running }
      if (isCopied) throw new Refusal("illegal_transition")
      const row = newBackup(ctx, facts.store)
      return {
        result: row,
        change: buildBackupChange(row, [
          {
            audit: { subject: "backup", id: row.id, action: "created", siteId: storeId },
          },
        ]),
      }
    },
  )
  enqueueBackup(ctx, backup)
  return backup
}

/** Builds a new backup. */
export const newBackup = (
  ctx: Ctx,
  { id, seq, database }: Pick<StoreDetails["store"], "id" | "seq" | "database">,
): StoreBackup => ({
  id: ulid(ctx.now),
  storeId: id,
  storeSeq: seq,
  database: database ?? "",
  phase: "files",
  dueAt: ctx.now,
  fingerprint: null,
  manifestHash: null,
  rows: null,
  files: null,
  bytes: null,
  error: null,
  createdAt: ctx.now,
  completedAt: null,
  storeDeletedAt: null,
})

/** Builds the change that starts a backup, unless the store is being restored or migrated, or was deleted. */
export const buildBackupChange = (row: StoreBackup, auditLog: Change["auditLog"]): Change => ({
  writes: [
    abortWhileCopied(row.storeId),
    insert(storeBackups).values(row),
    abortWhere(
      sql`from (select 1) where not exists (select 1 from ${stores} where ${stores.id} = ${row.storeId} and ${stores.seq} = ${row.storeSeq})`,
    ),
  ],
  auditLog,
})

/** Sends the message of a backup's first step. */
export const enqueueBackup = (ctx: Ctx, { storeId, id }: StoreBackup): void =>
  startJob(ctx, { job: "backup", store: storeId, backup: id })

/** Backups listed per store. */
const MAX_LISTED = 100

/** Lists a store's backups, newest first, also those of a deleted store with this id. */
export const listBackups = (ctx: Ctx, storeId: string): Promise<StoreBackup[]> =>
  ctx.db
    .select()
    .from(storeBackups)
    .where(eq(storeBackups.storeId, storeId))
    .orderBy(desc(storeBackups.id))
    .limit(MAX_LISTED)

/** Lists running backups with no message in flight, because it was lost or its run died. */
export const listOverdueBackups = (ctx: Ctx, limit: number): Promise<{ store: string; backup: string }[]> =>
  ctx.db
    .select({ store: storeBackups.storeId, backup: storeBackups.id })
    .from(storeBackups)
    .where(
      and(
        lte(storeBackups.dueAt, addMs(ctx.now, -QUEUE_GRACE_MS)),
        isUnlocked(sql`'site:' || ${storeBackups.storeId}`, ctx.now),
      ),
    )
    .orderBy(storeBackups.dueAt)
    .limit(limit)

/**
 * Runs one step of a backup. Idempotent.
 * @returns the next step; null when the backup is complete or has failed
 */
export async function runBackup(ctx: Ctx, storeId: string, id: string): Promise<Job | null> {
  const [[backup], [store]] = await batch(ctx.db, [
    ctx.db.select().from(storeBackups).where(eq(storeBackups.id, id)),
    ctx.db.select({ seq: stores.seq, database: stores.database }).from(stores).where(eq(stores.id, storeId)),
  ])
  if (!backup?.dueAt) return null
  if (store?.seq !== backup.storeSeq || store.database !== backup.database) {
    await failBackup(ctx, backup, "The store was deleted or migrated.")
    return null
  }
  const continues = await runStep(ctx, backup)
  return continues ? { job: "backup", store: storeId, backup: id } : null
}

/** @returns whether there is another step */
async function runStep(ctx: Ctx, backup: StoreBackup): Promise<boolean> {
  const progress = await readProgress(ctx, backup)
  const now = currentMs()
  try {
    if (now - backup.createdAt.getTime() > MAX_DURATION_MS) throw new BackupTimeout("It was not done within a day.")
    if (progress.lockedAt !== null && !progress.result && now - progress.lockedAt > MAX_LOCK_MS)
      throw new BackupTimeout(`It would have locked the store for more than ${MAX_LOCK_MS / MINUTE} minutes.`)
    return await STEPS[backup.phase](ctx, backup, progress, ctx.run.endsAt)
  } catch (cause) {
    if (!(cause instanceof BackupTimeout)) throw cause
    ctx.log.error("a backup failed", cause, { store: backup.storeId, backup: backup.id })
    await failBackup(ctx, backup, describeError(cause).error)
    return false
  }
}

class BackupTimeout extends Error {
  override readonly name = "BackupTimeout"
}

type Step = (ctx: Ctx, backup: StoreBackup, progress: Progress, end: number) => Promise<boolean>

const STEPS: Record<BackupPhase, Step> = {
  files: copyFilesEarly,
  rows: copyLocked,
  done: async () => false,
  failed: async () => false,
}

/** Copies the files while the store is in use, so that the lock is short. */
async function copyFilesEarly(ctx: Ctx, backup: StoreBackup, progress: Progress, end: number): Promise<true> {
  const { blobs, previous } = await openBlobs(ctx, backup)
  const isComplete = await continueFileList(filesOf(ctx, backup), blobs, progress.early, previous?.files ?? [], end)
  await writeProgress(ctx, backup, progress)
  if (isComplete)
    await writeUnaudited(ctx, "progress", [
      update(storeBackups)
        .set({ phase: "rows", dueAt: ctx.now })
        .where(and(eq(storeBackups.id, backup.id), eq(storeBackups.phase, "files"))),
    ])
  return true
}

/** Locks the store and copies its rows and new files; then writes the manifest and unlocks it. */
async function copyLocked(ctx: Ctx, backup: StoreBackup, progress: Progress, end: number): Promise<boolean> {
  if (!progress.result) {
    if (!(await copyRowsAndFiles(ctx, backup, progress, end))) return true
    // Stored before the unlock, so that a retry neither locks again nor describes rows that were written in the
    // meantime.
    progress.result = await writeManifest(ctx, backup, progress)
    await writeProgress(ctx, backup, progress)
  }
  await unlock(ctx, backup)
  await writeUnaudited(ctx, "progress", [
    update(storeBackups)
      .set({ ...progress.result, phase: "done", dueAt: null, completedAt: new Date(currentMs()) })
      .where(and(eq(storeBackups.id, backup.id), eq(storeBackups.phase, "rows"))),
  ])
  await backupStore(ctx.env).delete([progressKey(backup)])
  return false
}

/** @returns whether everything is copied */
async function copyRowsAndFiles(ctx: Ctx, backup: StoreBackup, progress: Progress, end: number): Promise<boolean> {
  const db = siteDatabase(ctx.env, backup.database, backup.storeId)
  if (progress.lockedAt === null) {
    progress.lockedAt = currentMs()
    await writeProgress(ctx, backup, progress)
  }
  await lockSite(db, lockOf(backup), ctx.now)
  const { blobs } = await openBlobs(ctx, backup)
  const isComplete =
    (await continueRowCopy(db, backup.storeId, blobs, progress.rows, end)) &&
    (await continueFileList(filesOf(ctx, backup), blobs, progress.files, progress.early.parts, end))
  if (!isComplete) await writeProgress(ctx, backup, progress)
  return isComplete
}

async function writeManifest(ctx: Ctx, backup: StoreBackup, progress: Progress): Promise<BackupResult> {
  const [central, schema, fingerprints] = await Promise.all([
    readCentralRows(ctx, backup.storeId),
    readSchemaVersions(ctx, backup.database, backup.storeId),
    computeFingerprints(ctx, backup.database, [backup.storeId]),
  ])
  const manifest: Manifest = {
    format: FORMAT_VERSION,
    id: backup.id,
    createdAt: backup.createdAt.toISOString(),
    database: backup.database,
    schema,
    central,
    tables: progress.rows.tables,
    files: progress.files.parts,
  }
  const bytes = new TextEncoder().encode(JSON.stringify(manifest))
  const manifestHash = await sha256(bytes)
  await backupStore(ctx.env).putVerified(manifestKey(backup, manifestHash), bytes, manifestHash, "application/json")
  const parts = manifest.tables.flatMap((table) => table.parts)
  return {
    fingerprint: fingerprints.get(backup.storeId) ?? null,
    manifestHash,
    rows: sum(parts.map(({ count }) => count)),
    files: sum(manifest.files.map(({ count }) => count)),
    bytes: sum([...parts.map(({ bytes }) => bytes), ...manifest.files.map(({ fileBytes }) => fileBytes)]),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Ends a backup, and unlocks its store. */
async function failBackup(ctx: Ctx, backup: StoreBackup, error: string): Promise<void> {
  await unlock(ctx, backup)
  await writeUnaudited(ctx, "progress", [
    update(storeBackups)
      .set({ phase: "failed", dueAt: null, error, completedAt: new Date(currentMs()) })
      .where(and(eq(storeBackups.id, backup.id), isNotNull(storeBackups.dueAt))),
  ])
  await backupStore(ctx.env).delete([progressKey(backup)])
}

const lockOf = ({ storeId, id }: StoreBackup) => ({ storeId, migrationId: id })

const unlock = (ctx: Ctx, backup: StoreBackup): Promise<void> =>
  unlockSite(siteDatabase(ctx.env, backup.database, backup.storeId), lockOf(backup))

const filesOf = (ctx: Ctx, { storeId }: StoreBackup) => ({ bucket: mediaStore(ctx.env), prefix: `${storeId}/` })

/** Opens the blobs of the store; those of its previous backup need no look-up. */
async function openBlobs(ctx: Ctx, backup: StoreBackup): Promise<{ blobs: Blobs; previous: Manifest | null }> {
  const [row] = await ctx.db
    .select()
    .from(storeBackups)
    .where(
      and(
        eq(storeBackups.storeSeq, backup.storeSeq),
        eq(storeBackups.phase, "done"),
        isNull(storeBackups.storeDeletedAt),
      ),
    )
    .orderBy(desc(storeBackups.id))
    .limit(1)
  // A previous backup that cannot be read only means that more is copied.
  const previous = row ? await readManifest(ctx, row).catch(() => null) : null
  const known = previous ? [...previous.tables.flatMap(({ parts }) => parts), ...previous.files] : []
  const digests = known.map(({ sha256: digest }) => digest)
  return { blobs: new Blobs(backupStore(ctx.env), backup.storeSeq, digests), previous }
}

async function readProgress(ctx: Ctx, backup: StoreBackup): Promise<Progress> {
  const object = await backupStore(ctx.env).get(progressKey(backup))
  if (object) return object.json<Progress>()
  return {
    early: { parts: [], after: null },
    rows: { tableIndex: 0, after: 0, tables: [] },
    files: { parts: [], after: null },
    lockedAt: null,
  }
}

const writeProgress = (ctx: Ctx, backup: StoreBackup, progress: Progress): Promise<void> =>
  backupStore(ctx.env).put(progressKey(backup), new TextEncoder().encode(JSON.stringify(progress)), "application/json")

async function readCentralRows(ctx: Ctx, storeId: string): Promise<CentralRows> {
  const [{ store, subscription }, attached, [settings], tokens] = await Promise.all([
    loadStore(ctx, storeId),
    ctx.db.select().from(domains).where(eq(domains.storeId, storeId)),
    ctx.db.select().from(siteSettings).where(eq(siteSettings.siteId, storeId)),
    ctx.db.select().from(serverTokens).where(eq(serverTokens.siteId, storeId)),
  ])
  return { store, subscription, domains: attached, siteSettings: settings ?? null, serverTokens: tokens }
}
