// Cancels scheduled notifications.
import { and, eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { WriteConflict } from "../../core/write/commit"
import { commitSite } from "../../core/write/site-commit"
import { notifications } from "../../db/schema/sites/notifications"
import { inSite } from "../../db/site-scope"
import type { SiteRef } from "../site"
import { getNotification } from "./operator-list"

/**
 * Cancels a notification before it is sent.
 * @throws Refusal `not_found`, `not_scheduled` for a notification that is being sent or has ended
 */
export async function cancelNotification(
  ctx: Ctx,
  site: SiteRef,
  id: number,
): Promise<typeof notifications.$inferSelect> {
  const { notification } = await getNotification(site, id)
  const from = notification.status
  if (from !== "scheduled") throw new Refusal("not_scheduled", { status_name: from })
  const isScheduled = and(eq(notifications.id, id), eq(notifications.status, "scheduled"))
  try {
    await commitSite(ctx, site, {
      guard: inSite(site.id).update(notifications).set({ status: "cancelled", updatedAt: ctx.now }).where(isScheduled),
      auditLog: [{ subject: "notification", id, action: "cancelled", from, to: "cancelled" }],
    })
  } catch (cause) {
    if (cause instanceof WriteConflict) throw new Refusal("not_scheduled", { status_name: "sending" })
    throw cause
  }
  return { ...notification, status: "cancelled", updatedAt: ctx.now }
}
