// What deleting leaves to be done: the contents of deleted folders, and bytes that no file speaks for. Each step is one batch,
// so a run may die between any two and the next one goes on; the queue asks for a run at once, the cron for what it lost.
import { and, asc, eq, isNotNull, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { forEachItem } from "../../core/queue/for-each-item"
import { runOverlappingJob } from "../../core/queue/leased-jobs"
import { writeUnaudited } from "../../core/write/commit"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { mediaFiles, mediaFolders, mediaOrphans } from "../../db/schema/sites/media"
import { isNotLocked } from "../../db/site-locks"
import { insertSelect, remove, update } from "../../db/write"
import { later, MINUTE } from "../../lib/time"
import { objectKey } from "../files"

/** Rows that one step moves or deletes. */
const STEP = 500

/** Steps of one run; what is left after them asks for another run. */
const STEPS = 40

/** How long bytes that a run took are left alone by others. */
const LEASE = 5 * MINUTE

/** Has the queue sweep a site database soon. */
export const requestSweep = (ctx: Ctx, database: string): void =>
  ctx.after(ctx.env.JOB_QUEUE.send({ job: "media", database }))

/** Sweeps every site database, of what the queue lost and of uploads that never came to an end. */
export async function sweepAllMedia(ctx: Ctx): Promise<void> {
  await forEachItem(ctx, "deleted media", ctx.settings.SITE_DATABASES, (database) => sweepMedia(ctx, database))
}

/**
 * Removes what is in deleted folders, then bytes that are due, and enqueues the rest. Can be run at any time, and by several at once.
 * @param database the binding of a site database
 * @param lease the token of the job's lease
 */
export const sweepMedia = (ctx: Ctx, database: string, lease?: string): Promise<void> =>
  runOverlappingJob(ctx, { job: "media", database, lease }, async () => {
    const db = siteDatabase(ctx.env, database)
    for (let step = 0; step < STEPS; step++) {
      const busy = (await emptyFolder(ctx, db)) || (await deleteBytes(ctx, db))
      if (!busy) return null
    }
    return { job: "media", database }
  })

/**
 * One step of removing a deleted folder: some of its files, the marking of its folders, and itself once it is empty.
 * @returns whether there was one
 */
async function emptyFolder(ctx: Ctx, db: SiteDatabase): Promise<boolean> {
  const [folder] = await db
    .select({ id: mediaFolders.id, siteId: mediaFolders.siteId })
    .from(mediaFolders)
    .where(and(isNotNull(mediaFolders.removedAt), isNotLocked(mediaFolders.siteId)))
    .orderBy(asc(mediaFolders.removedAt))
    .limit(1)
  if (!folder) return false
  const { id, siteId } = folder
  const some = sql`select id from media_files where site_id = ${siteId} and folder_id = ${id} order by id limit ${STEP}`
  const inside = sql`select id from media_folders where site_id = ${siteId} and parent_id = ${id} and removed_at is null limit ${STEP}`
  await writeUnaudited({ db }, "the contents of a folder whose deletion is in the trail", [
    insertSelect(
      mediaOrphans,
      { siteId: sql`site_id`, path: sql`path`, dueAt: ctx.now },
      sql`from media_files where id in (${some})`,
    ),
    remove(mediaFiles).where(sql`${mediaFiles.id} in (${some})`),
    update(mediaFolders).set({ removedAt: ctx.now }).where(sql`${mediaFolders.id} in (${inside})`),
    remove(mediaFolders).where(and(eq(mediaFolders.id, id), sql`not exists (${some})`, sql`not exists (${inside})`)),
  ])
  return true
}

/**
 * Deletes some of the bytes that are due.
 * @returns whether there may be more
 */
async function deleteBytes(ctx: Ctx, db: SiteDatabase): Promise<boolean> {
  const due = sql`select rowid from media_orphans where due_at <= ${ctx.now.getTime()} and ${isNotLocked(sql`site_id`)} order by due_at limit ${STEP}`
  const [taken] = await writeUnaudited({ db }, "a lease on bytes that no file speaks for", [
    update(mediaOrphans)
      .set({ sweptAt: ctx.now, dueAt: later(ctx.now, LEASE), reservedBytes: null })
      .where(and(lte(mediaOrphans.dueAt, ctx.now), sql`rowid in (${due})`))
      .returning({ siteId: mediaOrphans.siteId, path: mediaOrphans.path }),
  ])
  if (!taken.length) return false
  await ctx.env.MEDIA.delete(taken.map(({ siteId, path }) => objectKey(siteId, path)))
  const deleted = JSON.stringify(taken.map(({ siteId, path }) => [siteId, path]))
  await writeUnaudited({ db }, "bytes that are deleted", [
    remove(mediaOrphans).where(sql`(site_id, path) in (select value ->> 0, value ->> 1 from json_each(${deleted}))`),
  ])
  return taken.length === STEP
}
