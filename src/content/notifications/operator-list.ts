// A site's notifications, as an operator looks at them.
import { and, desc, eq } from "drizzle-orm"
import { Refusal } from "../../core/http/refusal"
import { batch } from "../../db/client"
import { notifications } from "../../db/schema/sites/notifications"
import type { FailureReason } from "../../db/schema/sites/push"
import { pushFailures } from "../../db/schema/sites/push"
import { FAILURES } from "../push/reasons"
import { pushSettings } from "../push/schemas"
import { selectAccount } from "../push/settings"
import type { SiteRef } from "../site"

export const NOTIFICATIONS_PAGE = 50

type Notification = typeof notifications.$inferSelect

const selectPage = ({ db, id }: SiteRef, page: number) =>
  db
    .select()
    .from(notifications)
    .where(eq(notifications.siteId, id))
    .orderBy(desc(notifications.id))
    .limit(NOTIFICATIONS_PAGE + 1)
    .offset((page - 1) * NOTIFICATIONS_PAGE)

const pageOf = (rows: Notification[]) => ({
  rows: rows.slice(0, NOTIFICATIONS_PAGE),
  more: rows.length > NOTIFICATIONS_PAGE,
})

/** A page of notifications, the newest first, and whether older ones follow. */
export const listNotifications = async (site: SiteRef, page: number) => pageOf(await selectPage(site, page))

/** The same, with how the site's pushes are set up, in one round trip. */
export async function notificationsAndPush(site: SiteRef, page: number) {
  const [rows, [account]] = await batch(site.db, [selectPage(site, page), selectAccount(site.db, site.id)])
  return { ...pageOf(rows), push: pushSettings(site.id, account) }
}

/** How many devices it failed for, by why; the most first. */
export interface Failure {
  reason: FailureReason
  /** What it means, for a person. */
  meaning: string
  devices: number
}

/**
 * One of the site's notifications, as far as it has come, with why it failed for devices.
 * @throws Refusal `not_found`
 */
export async function showNotification(
  { db, id: siteId }: SiteRef,
  id: number,
): Promise<{ notification: Notification; failures: Failure[] }> {
  const [[notification], failures] = await batch(db, [
    db
      .select()
      .from(notifications)
      .where(and(eq(notifications.siteId, siteId), eq(notifications.id, id))),
    db
      .select()
      .from(pushFailures)
      .where(and(eq(pushFailures.siteId, siteId), eq(pushFailures.notificationId, id)))
      .orderBy(desc(pushFailures.total)),
  ])
  if (!notification) throw new Refusal("not_found")
  return {
    notification,
    failures: failures.map(({ reason, total }) => ({ reason, meaning: FAILURES[reason], devices: total })),
  }
}
