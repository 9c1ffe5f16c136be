// Puts a notification into the inboxes of those it is for: in the order of their ids, a chunk a transaction, each chunk moving the
// notification's own mark. Whoever goes on, however often, goes on from there; two at once take turns.
import { and, asc, eq, gt, lte, type SQL, sql } from "drizzle-orm"
import { bookkeep } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { eachOf } from "../../core/each-of"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import {
  type NotificationStatus,
  type NotificationTarget,
  notificationRecipients,
  notifications,
} from "../../db/schema/sites/notifications"
import { users } from "../../db/schema/sites/users"
import { insertSelect, update } from "../../db/write"
import { later, MINUTE } from "../../lib/time"

type Notification = typeof notifications.$inferSelect

/** Inboxes that one transaction writes to. */
const CHUNK = 500

/** Transactions of one run; the queue starts another run for the rest. */
const CHUNKS_A_RUN = 10

/** After this long without a chunk a run is taken for dead. */
const STALLED = 2 * MINUTE

/**
 * Goes on delivering a notification, and sends word to the queue when there is more to do.
 * @param database the binding of its site database
 * @returns the notification as it then is; undefined when it is not being sent
 */
export async function deliverNotification(ctx: Ctx, database: string, id: number): Promise<Notification | undefined> {
  const db = siteDatabase(ctx.env, database)
  const [found] = await db.select().from(notifications).where(eq(notifications.id, id))
  let current = found?.status === "sending" ? found : undefined
  for (let chunk = 0; current?.status === "sending" && chunk < CHUNKS_A_RUN; chunk++) {
    current = await deliverChunk(ctx, db, current)
  }
  if (current?.status === "sending") await ctx.env.JOB_QUEUE.send({ job: "notify", database, notification: id })
  return current
}

/** One chunk: the next inboxes, and the mark behind them. The last one also closes the notification. */
async function deliverChunk(ctx: Ctx, db: SiteDatabase, { id, siteId, target }: Notification): Promise<Notification> {
  const now = ctx.now.getTime()
  const isSending = sql`${notifications.id} = ${id} and ${notifications.status} = 'sending'`
  const reached = sql`(select ${notifications.reachedUser} from ${notifications} where ${isSending})`
  const next = audience(siteId, target, reached)
  const size = sql`(select count(*) from (${next}))`
  const sent: NotificationStatus = "sent"
  const [, [after], [unchanged]] = await bookkeep(
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
      ).onConflictDoNothing(),
      update(notifications)
        .set({
          recipients: sql`${notifications.recipients} + ${size}`,
          reachedUser: sql`coalesce((select max("user_id") from (${next})), ${notifications.reachedUser})`,
          status: sql`case when ${size} < ${CHUNK} then ${sent} else ${notifications.status} end`,
          sentAt: sql`case when ${size} < ${CHUNK} then ${now} end`,
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

/**
 * The next users that a target means, as `user_id`: those who own at least one active device of it, each once, in the order of their
 * ids.
 */
function audience(siteId: string, target: NotificationTarget, reached: SQL): SQL {
  const platform = target === "android" || target === "ios" ? eq(deviceTokens.platform, target) : undefined
  const customers = sql`${deviceTokens.userId} in (select ${users.id} from ${users} where ${and(
    eq(users.siteId, siteId),
    eq(users.isStaff, false),
  )})`
  const meant = and(
    eq(deviceTokens.siteId, siteId),
    eq(deviceTokens.isActive, true),
    gt(deviceTokens.userId, reached),
    platform,
    target === "customers" ? customers : undefined,
  )
  return sql`select distinct ${deviceTokens.userId} as "user_id" from ${deviceTokens} where ${meant}
    order by ${deviceTokens.userId} limit ${CHUNK}`
}

/** Notifications that one cron run starts or takes up in each site database. */
const BATCH = 20

/** Starts scheduled notifications whose time has come, and takes up those whose run died. */
export async function deliverDue(ctx: Ctx): Promise<void> {
  await eachOf(ctx, "due notifications", ctx.settings.SITE_DATABASES, async (database) => {
    const db = siteDatabase(ctx.env, database)
    const waiting = db
      .select({ id: notifications.id })
      .from(notifications)
      .where(and(eq(notifications.status, "scheduled"), lte(notifications.scheduledAt, ctx.now)))
      .orderBy(asc(notifications.scheduledAt))
      .limit(BATCH)
    const [started, stalled] = await bookkeep({ db }, "a notification whose time has come", [
      update(notifications)
        .set({ status: "sending", updatedAt: ctx.now })
        .where(sql`${notifications.id} in ${waiting}`)
        .returning({ id: notifications.id }),
      db
        .select({ id: notifications.id })
        .from(notifications)
        .where(and(eq(notifications.status, "sending"), lte(notifications.updatedAt, later(ctx.now, -STALLED))))
        .orderBy(asc(notifications.updatedAt))
        .limit(BATCH),
    ])
    const due = [...started, ...stalled].map(({ id }) => id)
    await eachOf(ctx, "due notifications", due, (id) => deliverNotification(ctx, database, id))
  })
}
