// Puts a notification into the inboxes of those it is for: in the order of their ids, a chunk a transaction, each chunk moving the
// notification's own mark. Whoever goes on, however often, goes on from there; two at once take turns. Then it is sent to devices.
import { and, asc, eq, gt, lte, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../../core/context"
import { forEachItem } from "../../core/queue/for-each-item"
import { runOverlappingJob } from "../../core/queue/leased-jobs"
import { writeUnaudited } from "../../core/write/commit"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import { type NotificationTarget, notificationRecipients, notifications } from "../../db/schema/sites/notifications"
import { isNotLocked } from "../../db/site-locks"
import { insertSelect, update } from "../../db/write"
import { later, MINUTE } from "../../lib/time"
import { beginPush, sendOn } from "../push/start"
import { meant } from "./audience"

type Notification = typeof notifications.$inferSelect

/** Inboxes that one transaction writes to. */
const CHUNK = 500

/** Transactions of one run; the queue starts another run for the rest. */
const CHUNKS_A_RUN = 10

/** After this long without a chunk a run is taken for dead. */
const STALLED = 2 * MINUTE

/**
 * Goes on delivering a notification, and enqueues what is left.
 * @param database the binding of its site database
 * @param lease the token of the job's lease, of a message that goes on
 * @returns the notification as it then is; undefined when it is not being sent
 */
export async function deliverNotification(
  ctx: Ctx,
  database: string,
  id: number,
  lease?: string,
): Promise<Notification | undefined> {
  let current: Notification | undefined
  await runOverlappingJob(ctx, { job: "notify", database, notification: id, lease }, async () => {
    current = await deliverChunks(ctx, database, id)
    return current && !current.filledAt ? { job: "notify", database, notification: id } : null
  })
  return current
}

/** Delivers some chunks to inboxes, and begins to send to devices once all inboxes have the notification. */
async function deliverChunks(ctx: Ctx, database: string, id: number): Promise<Notification | undefined> {
  const db = siteDatabase(ctx.env, database)
  const [found] = await db.select().from(notifications).where(eq(notifications.id, id))
  let current = found?.status === "sending" ? found : undefined
  for (let chunk = 0; current && !current.filledAt && chunk < CHUNKS_A_RUN; chunk++) {
    current = await deliverChunk(ctx, db, current)
  }
  if (!current) return undefined
  if (!current.filledAt) return current
  if (current.lastDevice === null) return beginPush(ctx, db, database, current)
  await sendOn(ctx, database, id)
  return current
}

/** One chunk: the next inboxes, and the mark behind them. */
async function deliverChunk(ctx: Ctx, db: SiteDatabase, { id, siteId, target }: Notification): Promise<Notification> {
  const now = ctx.now.getTime()
  const isSending = sql`${notifications.id} = ${id} and ${notifications.status} = 'sending' and ${notifications.filledAt} is null`
  const reached = sql`(select ${notifications.reachedUser} from ${notifications} where ${isSending})`
  const next = audience(siteId, target, reached)
  const size = sql`(select count(*) from (${next}))`
  const [, [after], [unchanged]] = await writeUnaudited(
    { db },
    "the progress of a notification whose creation is in the trail",
    [
      insertSelect(
        notificationRecipients,
        {
          siteId: sql`${notifications.siteId}`,
          notificationId: sql`${notifications.id}`,
          userId: sql`"next"."user_id"`,
          type: sql`${notifications.type}`,
          createdAt: ctx.now,
        },
        sql`from ${notifications} join (${next}) as "next" where ${isSending}`,
      ),
      update(notifications)
        .set({
          firstRecipient: sql`coalesce(${notifications.firstRecipient}, (select max(${notificationRecipients.id}) from ${notificationRecipients}) - ${size} + 1)`,
          recipients: sql`${notifications.recipients} + ${size}`,
          reachedUser: sql`coalesce((select max("user_id") from (${next})), ${notifications.reachedUser})`,
          filledAt: sql`case when ${size} < ${CHUNK} then ${now} end`,
          updatedAt: ctx.now,
        })
        .where(isSending)
        .returning(),
      db.select().from(notifications).where(eq(notifications.id, id)),
    ],
  )
  const found = after ?? unchanged
  if (!found) throw new Error("the notification was deleted")
  return found
}

/** The next users that a target means, as `user_id`: each once, in the order of their ids. */
const audience = (siteId: string, target: NotificationTarget, reached: SQL): SQL =>
  sql`select distinct ${deviceTokens.userId} as "user_id" from ${deviceTokens}
    where ${and(meant(siteId, target), gt(deviceTokens.userId, reached))} order by ${deviceTokens.userId} limit ${CHUNK}`

/** Notifications that one cron run starts or takes up in each site database. */
const BATCH = 20

/** Starts scheduled notifications whose time has come, and takes up those whose run died. */
export async function deliverDue(ctx: Ctx): Promise<void> {
  await forEachItem(ctx, "due notifications", ctx.settings.SITE_DATABASES, async (database) => {
    const db = siteDatabase(ctx.env, database)
    const some = (where: SQL | undefined, order: SQLiteColumn) =>
      db
        .select({ id: notifications.id })
        .from(notifications)
        .where(and(where, isNotLocked(notifications.siteId)))
        .orderBy(asc(order))
        .limit(BATCH)
    const waiting = some(
      and(eq(notifications.status, "scheduled"), lte(notifications.scheduledAt, ctx.now)),
      notifications.scheduledAt,
    )
    const stalled = some(
      and(eq(notifications.status, "sending"), lte(notifications.updatedAt, later(ctx.now, -STALLED))),
      notifications.updatedAt,
    )
    // Taken up, it is as if it had moved: the next ones that stand still have their turn first.
    const taken = { status: "sending" as const, updatedAt: ctx.now }
    const due = await writeUnaudited({ db }, "a notification whose time has come", [
      update(notifications)
        .set(taken)
        .where(sql`${notifications.id} in ${stalled}`)
        .returning({ id: notifications.id }),
      update(notifications)
        .set(taken)
        .where(sql`${notifications.id} in ${waiting}`)
        .returning({ id: notifications.id }),
    ])
    await forEachItem(
      ctx,
      "due notifications",
      due.flat(),
      ({ id }) => deliverNotification(ctx, database, id),
      ({ id }) => id,
    )
  })
}
