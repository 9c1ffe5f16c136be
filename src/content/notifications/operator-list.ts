// Lists a site's notifications for operators.
import { desc, eq } from "drizzle-orm"
import { Refusal } from "../../core/http/refusal"
import { batch } from "../../db/client"
import { notifications } from "../../db/schema/sites/notifications"
import type { FailureReason } from "../../db/schema/sites/push"
import { pushFailures } from "../../db/schema/sites/push"
import { FAILURE_DESCRIPTIONS } from "../push/reasons"
import { pushSettings } from "../push/schemas"
import { selectAccount } from "../push/settings"
import type { SiteRef } from "../site"

export const NOTIFICATIONS_PAGE_SIZE = 50

type Notification = typeof notifications.$inferSelect

const selectPage = ({ db }: SiteRef, page: number) =>
  db
    .select()
    .from(notifications)
    .orderBy(desc(notifications.id))
    .limit(NOTIFICATIONS_PAGE_SIZE + 1)
    .offset((page - 1) * NOTIFICATIONS_PAGE_SIZE)

const toPage = (rows: Notification[]) => ({
  rows: rows.slice(0, NOTIFICATIONS_PAGE_SIZE),
  hasMore: rows.length > NOTIFICATIONS_PAGE_SIZE,
})

/** Lists a page of notifications, newest first. */
export const listNotifications = async (site: SiteRef, page: number) => toPage(await selectPage(site, page))

/** Lists a page of notifications together with the site's push settings, in one round trip. */
export async function listNotificationsWithPush(site: SiteRef, page: number) {
  const [rows, [account]] = await batch(site.db, [selectPage(site, page), selectAccount(site.db)])
  return { ...toPage(rows), push: pushSettings(site.id, account) }
}

/** Number of devices for which a notification failed for one reason. */
export interface FailureCount {
  reason: FailureReason
  /** Explanation of the reason for operators. */
  meaning: string
  devices: number
}

/**
 * Reads a notification with its progress and its failures by reason, most frequent first.
 * @throws Refusal `not_found`
 */
export async function getNotification(
  { db }: SiteRef,
  id: number,
): Promise<{ notification: Notification; failures: FailureCount[] }> {
  const [[notification], failures] = await batch(db, [
    db.select().from(notifications).where(eq(notifications.id, id)),
    db.select().from(pushFailures).where(eq(pushFailures.notificationId, id)).orderBy(desc(pushFailures.total)),
  ])
  if (!notification) throw new Refusal("not_found")
  return {
    notification,
    failures: failures.map(({ reason, total }) => ({ reason, meaning: FAILURE_DESCRIPTIONS[reason], devices: total })),
  }
}
