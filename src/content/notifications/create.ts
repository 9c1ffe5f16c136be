// A new notification: sent now, or at its time.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { notifications } from "../../db/schema/sites/notifications"
import type { SiteRef } from "../site"
import { deliverNotification } from "./deliver"
import type { CreateNotification } from "./schemas"

/**
 * Stores a notification and, unless it is for later, starts delivering it.
 * @returns the notification as it is when the first run is over
 */
export async function createNotification(
  ctx: Ctx,
  site: SiteRef,
  input: z.output<typeof CreateNotification>,
): Promise<typeof notifications.$inferSelect> {
  const isLater = input.at !== undefined && input.at > ctx.now
  const [created] = await site.db
    .insert(notifications)
    .values({
      siteId: site.id,
      title: input.title,
      message: input.message,
      type: input.type,
      actionUrl: input.action_url ?? null,
      imageUrl: input.image_url ?? null,
      target: input.target,
      status: isLater ? "scheduled" : "sending",
      scheduledAt: input.at ?? null,
      createdByName: ctx.actor.name,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .returning()
  if (!created) throw new Error("the notification was not stored")
  if (isLater) return created
  return (await deliverNotification(ctx, site.database, created.id)) ?? created
}
