// Starts the push to devices once every inbox contains the notification.
import { and, eq, isNull, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { sendMessage } from "../../core/queue/send"
import { writeUnaudited } from "../../core/write/commit"
import type { SiteDatabase } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import { notifications } from "../../db/schema/sites/notifications"
import { pushAccounts } from "../../db/schema/sites/push"
import { inSite } from "../../db/site-scope"
import { isPushTarget } from "../notifications/audience"

type Notification = typeof notifications.$inferSelect

/**
 * Counts the devices and starts the push. A notification without devices, or of a site without push, is complete at
 * once. Idempotent.
 * @param notification a notification whose inboxes are filled
 * @returns the current notification
 */
export async function startPush(ctx: Ctx, db: SiteDatabase, database: string, notification: Notification) {
  const { id, siteId, target } = notification
  const devices = sql`(select count(*) from ${deviceTokens} where ${isPushTarget(siteId, target)})`
  const lastDevice = sql`(select coalesce(max(${deviceTokens.id}), 0) from ${deviceTokens} where ${deviceTokens.siteId} = ${siteId})`
  const isNotStarted = and(
    eq(notifications.id, id),
    eq(notifications.status, "sending"),
    isNull(notifications.lastDevice),
  )
  const pushEnabledIs = (enabled: boolean): SQL =>
    sql`exists (select 1 from ${pushAccounts} where ${pushAccounts.siteId} = ${siteId} and ${pushAccounts.enabled} = ${Number(enabled)})`
  const completed = { status: "sent" as const, sentAt: ctx.now, updatedAt: ctx.now }
  const [, , , [current]] = await writeUnaudited({ db }, "progress", [
    inSite(siteId)
      .update(notifications)
      .set({ devices, lastDevice: lastDevice, updatedAt: ctx.now })
      .where(and(isNotStarted, pushEnabledIs(true))),
    inSite(siteId)
      .update(notifications)
      .set({
        ...completed,
        pushNote: sql`case when ${pushEnabledIs(false)} then 'switched_off' else 'not_set_up' end`,
      })
      .where(isNotStarted),
    inSite(siteId)
      .update(notifications)
      .set(completed)
      .where(and(eq(notifications.id, id), eq(notifications.status, "sending"), eq(notifications.devices, 0))),
    db.select().from(notifications).where(eq(notifications.id, id)),
  ])
  if (current?.status === "sending") await enqueuePush(ctx, database, id)
  return current
}

/**
 * Enqueues a push batch. When the queue fails, the error is only logged, because the cron resumes stalled
 * notifications.
 */
export async function enqueuePush(ctx: Ctx, database: string, notification: number): Promise<void> {
  try {
    await sendMessage(ctx, { push: { database, notification } })
  } catch (cause) {
    ctx.log.error("a push batch was not enqueued", cause, { notification })
  }
}
