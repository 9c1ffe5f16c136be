// Deletes expired backups, and the blobs that no other backup of the same incarnation contains.
import { and, asc, desc, eq, gt, inArray, isNotNull, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { startJobs } from "../../core/queue/leased-jobs"
import type { Job } from "../../core/queue/messages"
import { backupStore } from "../../core/storage/backups"
import { writeUnaudited } from "../../core/write/commit"
import { type StoreBackup, storeBackups, storeRestores } from "../../db/schema/central/backups"
import { remove } from "../../db/write"
import { addMs, DAY } from "../../lib/time"
import { Blobs } from "./blobs"
import { readFileEntries } from "./copy-files"
import { blobPrefix, manifestPrefix, prefixOf } from "./manifest"
import { readManifest } from "./read-manifest"

/** Incarnations whose backups are pruned per night, and backups that a statement looks at. */
const MAX_INCARNATIONS = 1_000
const PAGE_SIZE = 5_000

/**
 * Condition for expired backups. The newest backup of a store is retained until the store has been deleted for the
 * retention period; all others expire by their age.
 */
function isExpired(ctx: Ctx): SQL {
  const days = ctx.settings.TENANCY_BACKUP_DAYS
  const cutoff = addMs(ctx.now, -days * DAY)
  const isOfDeletedStore = and(isNotNull(storeBackups.storeDeletedAt), lte(storeBackups.storeDeletedAt, cutoff))
  if (days === 0) return sql`(${isOfDeletedStore})`
  const newest = sql`(select max(newer.id) from ${storeBackups} newer
    where newer.store_seq = store_backups.store_seq and newer.phase = 'done')`
  const isOld = and(lte(storeBackups.createdAt, cutoff), sql`${storeBackups.id} is not ${newest}`)
  return sql`(${isOfDeletedStore} or ${isOld})`
}

/** Enqueues the deletion of expired backups. Those whose message is lost follow in the next night. */
export async function enqueueExpiredBackups(ctx: Ctx): Promise<void> {
  const found = new Map<number, Job>()
  for (let after = ""; found.size < MAX_INCARNATIONS && !ctx.run.isOutOfTime(); ) {
    const page = await ctx.db
      .select({
        id: storeBackups.id,
        store: storeBackups.storeId,
        seq: storeBackups.storeSeq,
        expired: sql<number>`${isExpired(ctx)}`,
      })
      .from(storeBackups)
      .where(gt(storeBackups.id, after))
      .orderBy(asc(storeBackups.id))
      .limit(PAGE_SIZE)
    for (const { store, seq, expired } of page) if (expired) found.set(seq, { job: "backup-prune", store, seq })
    after = page.at(-1)?.id ?? after
    if (page.length < PAGE_SIZE) break
  }
  await startJobs(ctx, [...found.values()])
}

/**
 * Runs one step of the deletion of an incarnation's expired backups: first the blobs that only they contain, then their
 * manifests and rows. Idempotent.
 * @param job `after`: the last checked blob
 * @returns the next step; null when all are deleted
 */
export async function pruneBackups(
  ctx: Ctx,
  { store, seq, after }: { store: string; seq: number; after?: string | undefined },
): Promise<Job | null> {
  const backups = await ctx.db
    .select({ backup: storeBackups, expired: sql<number>`${isExpired(ctx)}` })
    .from(storeBackups)
    .where(eq(storeBackups.storeSeq, seq))
    .orderBy(desc(storeBackups.id))
  // A running backup uses blobs that no manifest names yet, and a running restore reads some. The next night prunes.
  if (backups.some(({ backup }) => backup.dueAt !== null)) return null
  const [restore] = await ctx.db
    .select({ id: storeRestores.id })
    .from(storeRestores)
    .innerJoin(storeBackups, eq(storeBackups.id, storeRestores.backupId))
    .where(and(isNotNull(storeRestores.dueAt), eq(storeBackups.storeSeq, seq)))
    .limit(1)
  if (restore) return null
  const expired = backups.filter((row) => row.expired).map(({ backup }) => backup)
  if (!expired.length) return null
  const retained = backups.filter((row) => !row.expired).map(({ backup }) => backup)
  const next = await deleteBlobs(ctx, seq, retained, after)
  if (next !== null) return { job: "backup-prune", store, seq, after: next }
  for (const backup of expired) while (await backupStore(ctx.env).deletePage(manifestPrefix(backup)));
  if (!retained.length) while (await backupStore(ctx.env).deletePage(prefixOf(seq)));
  const ids = JSON.stringify(expired.map(({ id }) => id))
  await writeUnaudited(ctx, "cleanup", [
    remove(storeRestores).where(inArray(storeRestores.backupId, sql`(select value from json_each(${ids}))`)),
    remove(storeBackups).where(inArray(storeBackups.id, sql`(select value from json_each(${ids}))`)),
  ])
  return null
}

/**
 * Deletes blobs that no retained backup contains.
 * @returns the last checked key; null when all are checked
 */
async function deleteBlobs(
  ctx: Ctx,
  seq: number,
  retained: readonly StoreBackup[],
  after: string | undefined,
): Promise<string | null> {
  const bucket = backupStore(ctx.env)
  const used = await findUsedBlobs(ctx, seq, retained)
  for (let last = after; ; ) {
    const { objects, truncated } = await bucket.list(blobPrefix(seq), last)
    await bucket.delete(objects.map(({ key }) => key).filter((key) => !used.has(key.slice(blobPrefix(seq).length))))
    last = objects.at(-1)?.key
    if (!truncated || last === undefined) return null
    if (ctx.run.isOutOfTime()) return last
  }
}

/** @throws CorruptBackup when a manifest cannot be read; nothing may be deleted then */
async function findUsedBlobs(ctx: Ctx, seq: number, backups: readonly StoreBackup[]): Promise<Set<string>> {
  const blobs = new Blobs(backupStore(ctx.env), seq)
  const used = new Set<string>()
  for (const backup of backups) {
    if (backup.phase !== "done") continue
    const manifest = await readManifest(ctx, backup)
    for (const { parts } of manifest.tables) for (const { sha256 } of parts) used.add(sha256)
    for (const part of manifest.files) {
      if (used.has(part.sha256)) continue
      used.add(part.sha256)
      for (const { sha256 } of await readFileEntries(blobs, part)) used.add(sha256)
    }
  }
  return used
}
