// The beginning of sending to devices, once every inbox has the notification.
import { and, eq, isNull, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import type { SiteDatabase } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import { notifications } from "../../db/schema/sites/notifications"
import { pushAccounts } from "../../db/schema/sites/push"
import { update } from "../../db/write"
import { pushable } from "../notifications/audience"

type Notification = typeof notifications.$inferSelect

/**
 * Counts the devices, and begins; a notification without any, or of a site that sends no pushes, is sent with that. Done twice, it
 * counts once.
 * @param notification one whose inboxes are filled
 * @returns it as it then is
 */
export async function beginPush(ctx: Ctx, db: SiteDatabase, database: string, notification: Notification) {
  const { id, siteId, target } = notification
  const devices = sql`(select count(*) from ${deviceTokens} where ${pushable(siteId, target)})`
  const last = sql`(select coalesce(max(${deviceTokens.id}), 0) from ${deviceTokens} where ${deviceTokens.siteId} = ${siteId})`
  const waits = and(eq(notifications.id, id), eq(notifications.status, "sending"), isNull(notifications.lastDevice))
  const sends = (enabled: boolean): SQL =>
    sql`exists (select 1 from ${pushAccounts} where ${pushAccounts.siteId} = ${siteId} and ${pushAccounts.enabled} = ${Number(enabled)})`
  const done = { status: "sent" as const, sentAt: ctx.now, updatedAt: ctx.now }
  const [, , , [current]] = await writeUnaudited({ db }, "the progress of a notification whose creation is in the trail", [
    update(notifications)
      .set({ devices, lastDevice: last, updatedAt: ctx.now })
      .where(and(waits, sends(true))),
    update(notifications)
      .set({ ...done, pushNote: sql`case when ${sends(false)} then 'switched_off' else 'not_set_up' end` })
      .where(waits),
    update(notifications)
      .set(done)
      .where(and(eq(notifications.id, id), eq(notifications.status, "sending"), eq(notifications.devices, 0))),
    db.select().from(notifications).where(eq(notifications.id, id)),
  ])
  if (current?.status === "sending") await sendOn(ctx, database, id)
  return current
}

/** Asks the queue for a lane. One that it does not take the cron misses, so that nobody has to be told. */
export async function sendOn(ctx: Ctx, database: string, notification: number): Promise<void> {
  try {
    await ctx.env.PUSH_QUEUE.send({ push: { database, notification } })
  } catch (cause) {
    ctx.log.error("a notification was not handed on", cause, { notification })
  }
}
