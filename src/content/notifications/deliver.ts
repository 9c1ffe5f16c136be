// Delivers a notification to inboxes, then starts the push to devices. Inboxes are filled in the order of user ids, one
// chunk per transaction. Each chunk advances the notification's cursor, so any run resumes where the last one stopped,
// and concurrent runs do not deliver twice.
import { and, asc, eq, gt, lte, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../../core/context"
import { forEachDatabase } from "../../core/queue/for-each-database"
import { forEachItem } from "../../core/queue/for-each-item"
import { enqueueJob } from "../../core/queue/leased-jobs"
import type { Job } from "../../core/queue/messages"
import { writeUnaudited } from "../../core/write/commit"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import { type NotificationTarget, notificationRecipients, notifications } from "../../db/schema/sites/notifications"
import { isNotLocked } from "../../db/site-locks"
import { acrossSites, inSite } from "../../db/site-scope"
import { addMs, MINUTE } from "../../lib/time"
import { enqueuePush, startPush } from "../push/start"
import { isTargetDevice } from "./audience"
import { selectNotification } from "./find"

type Notification = typeof notifications.$inferSelect

/** Inboxes per transaction. */
const CHUNK_SIZE = 500

/** Chunks per run. The run enqueues another one for the rest. */
const CHUNKS_PER_RUN = 10

/** A delivery without progress for this long is considered stalled. */
const STALLED_AFTER = 2 * MINUTE

/**
 * Continues the delivery of a notification outside of a job, and enqueues the rest.
 * @param database binding of its site database
 * @returns the current notification; undefined when it is not being sent
 */
export async function deliverNotification(ctx: Ctx, database: string, id: number): Promise<Notification | undefined> {
  const current = await deliverChunks(ctx, database, id)
  if (current && !current.filledAt) await enqueueJob(ctx, { job: "notify", database, notification: id })
  return current
}

/**
 * Continues the delivery of a notification. Runs may overlap.
 * @param database binding of its site database
 * @returns the next step; null when its inboxes are filled, or it is not being sent
 */
export async function continueNotification(ctx: Ctx, database: string, id: number): Promise<Job | null> {
  const current = await deliverChunks(ctx, database, id)
  return current && !current.filledAt ? { job: "notify", database, notification: id } : null
}

/** Delivers some chunks to inboxes, and starts the push once all inboxes contain the notification. */
async function deliverChunks(ctx: Ctx, database: string, id: number): Promise<Notification | undefined> {
  const [found] = await selectNotification(ctx, database, id)
  let current = found?.status === "sending" ? found : undefined
  if (!current) return undefined
  const db = siteDatabase(ctx.env, database, current.siteId)
  for (let chunk = 0; !current.filledAt && chunk < CHUNKS_PER_RUN; chunk++) {
    current = await deliverChunk(ctx, db, current)
    if (!current.filledAt && ctx.run.isOutOfTime()) break
  }
  if (!current.filledAt) return current
  if (current.lastDevice === null) return startPush(ctx, db, database, current)
  await enqueuePush(ctx, database, id)
  return current
}

/** Delivers to the next chunk of inboxes and advances the cursor. */
async function deliverChunk(ctx: Ctx, db: SiteDatabase, { id, siteId, target }: Notification): Promise<Notification> {
  const now = ctx.now.getTime()
  const isSending = sql`${notifications.siteId} = ${siteId} and ${notifications.id} = ${id} and ${notifications.status} = 'sending' and ${notifications.filledAt} is null`
  const reachedUser = sql`(select ${notifications.reachedUser} from ${notifications} where ${isSending})`
  const next = selectNextUsers(siteId, target, reachedUser)
  const size = sql`(select count(*) from (${next}))`
  const [, [updated], [unchanged]] = await writeUnaudited({ db }, "progress", [
    inSite(siteId).insertSelect(
      notificationRecipients,
      {
        notificationId: sql`${notifications.id}`,
        userId: sql`"next"."user_id"`,
        type: sql`${notifications.type}`,
        createdAt: ctx.now,
      },
      sql`from ${notifications} join (${next}) as "next" where ${isSending}`,
    ),
    inSite(siteId)
      .update(notifications)
      .set({
        firstRecipient: sql`coalesce(${notifications.firstRecipient}, last_insert_rowid() - ${size} + 1)`,
        recipients: sql`${notifications.recipients} + ${size}`,
        reachedUser: sql`coalesce((select max("user_id") from (${next})), ${notifications.reachedUser})`,
        filledAt: sql`case when ${size} < ${CHUNK_SIZE} then ${now} end`,
        updatedAt: ctx.now,
      })
      .where(isSending)
      .returning(),
    db.select().from(notifications).where(eq(notifications.id, id)),
  ])
  const current = updated ?? unchanged
  if (!current) throw new Error("The notification was deleted")
  return current
}

/** Selects the next users of a target as `user_id`, without duplicates, in the order of their ids. */
const selectNextUsers = (siteId: string, target: NotificationTarget, reachedUser: SQL): SQL =>
  sql`select distinct ${deviceTokens.userId} as "user_id" from ${deviceTokens}
    where ${and(isTargetDevice(siteId, target), gt(deviceTokens.userId, reachedUser))} order by ${deviceTokens.userId} limit ${CHUNK_SIZE}`

/** Notifications that one cron run starts, and resumes, per site database. */
const BATCH_SIZE = 20

/** Enqueues the due notifications of every site database that has some. Finding none costs one read per database. */
export async function enqueueDueNotifications(ctx: Ctx): Promise<void> {
  await forEachDatabase(ctx, "notifications", async (database) => {
    const { scheduled, stalled } = selectDue(ctx, database, 1)
    const [due] = await siteDatabase(ctx.env, database, acrossSites("due_notifications"))
      .select({ found: sql`1` })
      .from(sql`(select * from ${scheduled} union all select * from ${stalled})`)
      .limit(1)
    if (due) await enqueueJob(ctx, { job: "due_notifications", database })
  })
}

/** Selects the ids of due scheduled notifications, and of those whose delivery is stalled, oldest first. */
function selectDue(ctx: Ctx, database: string, limit: number) {
  const db = siteDatabase(ctx.env, database, acrossSites("due_notifications"))
  const selectBatch = (where: SQL | undefined, order: SQLiteColumn) =>
    db
      .select({ id: notifications.id })
      .from(notifications)
      .where(and(where, isNotLocked(notifications.siteId)))
      .orderBy(asc(order))
      .limit(limit)
  return {
    scheduled: selectBatch(
      and(eq(notifications.status, "scheduled"), lte(notifications.scheduledAt, ctx.now)),
      notifications.scheduledAt,
    ),
    stalled: selectBatch(
      and(eq(notifications.status, "sending"), lte(notifications.updatedAt, addMs(ctx.now, -STALLED_AFTER))),
      notifications.updatedAt,
    ),
  }
}

/**
 * Starts the due scheduled notifications of a site database and resumes stalled ones.
 * @param database binding of a site database
 */
export async function deliverDueNotifications(ctx: Ctx, database: string): Promise<null> {
  const db = siteDatabase(ctx.env, database, acrossSites("due_notifications"))
  const { scheduled, stalled } = selectDue(ctx, database, BATCH_SIZE)
  // Resetting `updatedAt` moves a resumed notification behind the other stalled ones.
  const sendingNow = { status: "sending" as const, updatedAt: ctx.now }
  const due = await writeUnaudited({ db }, "progress", [
    acrossSites("due_notifications")
      .update(notifications)
      .set(sendingNow)
      .where(sql`${notifications.id} in ${stalled}`)
      .returning({ id: notifications.id }),
    acrossSites("due_notifications")
      .update(notifications)
      .set(sendingNow)
      .where(sql`${notifications.id} in ${scheduled}`)
      .returning({ id: notifications.id }),
  ])
  await forEachItem(
    ctx,
    "notifications",
    due.flat(),
    ({ id }) => deliverNotification(ctx, database, id),
    ({ id }) => id,
  )
  return null
}
