// Deletes the contents of deleted folders and orphaned objects in the bucket. Every step is one transaction, so a run
// may fail between steps and the next run resumes. The queue starts a run after a deletion; the cron covers lost
// messages.
import { and, asc, eq, isNotNull, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { forEachDatabase } from "../../core/queue/for-each-database"
import { enqueueJob, startJob } from "../../core/queue/leased-jobs"
import type { Job } from "../../core/queue/messages"
import { mediaStore } from "../../core/storage/media"
import { writeUnaudited } from "../../core/write/commit"
import { batch, type SiteDatabase, siteDatabase } from "../../db/client"
import { mediaFiles, mediaFolders, mediaOrphans } from "../../db/schema/sites/media"
import { isNotLocked } from "../../db/site-locks"
import { acrossSites, inSite, inSiteById } from "../../db/site-scope"
import { addMs, MINUTE } from "../../lib/time"
import { objectKey } from "../files"

/** Rows that one step moves or deletes. */
const BATCH_SIZE = 500

/** Steps of one run. The run enqueues another one for the rest. */
const BATCHES_PER_RUN = 40

/** Lease of a run on the objects that it deletes. */
const LEASE_TTL = 5 * MINUTE

/** Enqueues a sweep of a site database in the background. */
export const requestSweep = (ctx: Ctx, database: string): void => startJob(ctx, { job: "media", database })

/**
 * Enqueues a sweep of every site database with leftovers, to cover lost queue messages and abandoned uploads. Finding
 * none costs one read per database.
 */
export async function enqueueMediaSweeps(ctx: Ctx): Promise<void> {
  await forEachDatabase(ctx, "media-cleanup", async (database) => {
    const db = siteDatabase(ctx.env, database, acrossSites("media_sweep"))
    const [folders, orphans] = await batch(db, [
      db
        .select({ siteId: mediaFolders.siteId })
        .from(mediaFolders)
        .where(and(isNotNull(mediaFolders.removedAt), isNotLocked(mediaFolders.siteId)))
        .limit(1),
      db
        .select({ siteId: mediaOrphans.siteId })
        .from(mediaOrphans)
        .where(and(lte(mediaOrphans.dueAt, ctx.now), isNotLocked(mediaOrphans.siteId)))
        .limit(1),
    ])
    if (folders.length || orphans.length) await enqueueJob(ctx, { job: "media", database })
  })
}

/**
 * Deletes the contents of deleted folders, then due orphans. Safe to run at any time and concurrently.
 * @param database binding of a site database
 * @returns the next step; null when nothing is left
 */
export async function sweepMedia(ctx: Ctx, database: string): Promise<Job | null> {
  const db = siteDatabase(ctx.env, database, acrossSites("media_sweep"))
  for (let step = 0; step < BATCHES_PER_RUN; step++) {
    const hasMore = (await deleteFolderContents(ctx, db)) || (await deleteOrphans(ctx, db))
    if (!hasMore) return null
    if (ctx.run.isOutOfTime()) break
  }
  return { job: "media", database }
}

/**
 * Runs one step for a deleted folder: deletes some of its files, marks its subfolders as deleted, and deletes the
 * folder once it is empty.
 * @returns whether there was a deleted folder
 */
async function deleteFolderContents(ctx: Ctx, db: SiteDatabase): Promise<boolean> {
  const [folder] = await db
    .select({ id: mediaFolders.id, siteId: mediaFolders.siteId })
    .from(mediaFolders)
    .where(and(isNotNull(mediaFolders.removedAt), isNotLocked(mediaFolders.siteId)))
    .orderBy(asc(mediaFolders.removedAt))
    .limit(1)
  if (!folder) return false
  const { id, siteId } = folder
  const files = sql`select id from media_files where site_id = ${siteId} and folder_id = ${id} order by id limit ${BATCH_SIZE}`
  const subfolders = sql`select id from media_folders where site_id = ${siteId} and parent_id = ${id} and removed_at is null limit ${BATCH_SIZE}`
  await writeUnaudited({ db }, "audited_elsewhere", [
    inSite(siteId).insertSelect(
      mediaOrphans,
      { path: sql`path`, dueAt: ctx.now },
      sql`from media_files where id in (${files}) and +site_id = ${siteId}`,
    ),
    inSiteById(siteId).remove(mediaFiles).where(sql`${mediaFiles.id} in (${files})`),
    inSiteById(siteId)
      .update(mediaFolders)
      .set({ removedAt: ctx.now })
      .where(sql`${mediaFolders.id} in (${subfolders})`),
    inSite(siteId)
      .remove(mediaFolders)
      .where(and(eq(mediaFolders.id, id), sql`not exists (${files})`, sql`not exists (${subfolders})`)),
  ])
  return true
}

/**
 * Deletes one batch of due orphans from the bucket.
 * @returns whether there may be more
 */
async function deleteOrphans(ctx: Ctx, db: SiteDatabase): Promise<boolean> {
  const due = sql`select rowid from media_orphans where due_at <= ${ctx.now.getTime()} and ${isNotLocked(sql`site_id`)} order by due_at limit ${BATCH_SIZE}`
  const [leased] = await writeUnaudited({ db }, "coordination", [
    acrossSites("media_sweep")
      .update(mediaOrphans)
      .set({ sweptAt: ctx.now, dueAt: addMs(ctx.now, LEASE_TTL), reservedBytes: null })
      .where(and(lte(mediaOrphans.dueAt, ctx.now), sql`rowid in (${due})`))
      .returning({ siteId: mediaOrphans.siteId, path: mediaOrphans.path }),
  ])
  if (!leased.length) return false
  await mediaStore(ctx.env).delete(leased.map(({ siteId, path }) => objectKey(siteId, path)))
  const deleted = JSON.stringify(leased.map(({ siteId, path }) => [siteId, path]))
  await writeUnaudited({ db }, "cleanup", [
    acrossSites("media_sweep")
      .remove(mediaOrphans)
      .where(sql`(site_id, path) in (select value ->> 0, value ->> 1 from json_each(${deleted}))`),
  ])
  return leased.length === BATCH_SIZE
}
