// A site's notifications, as an operator lists them.
import { desc, eq } from "drizzle-orm"
import { notifications } from "../../db/schema/sites/notifications"
import type { SiteRef } from "../site"

export const NOTIFICATIONS_PAGE = 50

/** A page of notifications, the newest first, and whether older ones follow. */
export async function listNotifications({ db, id }: SiteRef, page: number) {
  const rows = await db
    .select()
    .from(notifications)
    .where(eq(notifications.siteId, id))
    .orderBy(desc(notifications.id))
    .limit(NOTIFICATIONS_PAGE + 1)
    .offset((page - 1) * NOTIFICATIONS_PAGE)
  return { rows: rows.slice(0, NOTIFICATIONS_PAGE), more: rows.length > NOTIFICATIONS_PAGE }
}
