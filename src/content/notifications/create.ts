// A new notification: sent now, or at its time.
import { sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import { notifications } from "../../db/schema/sites/notifications"
import { insert } from "../../db/write"
import type { SiteRef } from "../site"
import { deliverNotification } from "./deliver"
import type { CreateNotification } from "./schemas"

/**
 * Stores a notification and, unless it is for later, starts delivering it.
 * @returns the notification as it is when the first run is over
 * @throws Refusal `validation_failed` about `at` for a moment that is past
 */
export async function createNotification(
  ctx: Ctx,
  site: SiteRef,
  input: z.output<typeof CreateNotification>,
): Promise<typeof notifications.$inferSelect> {
  const isLater = input.at !== undefined
  if (input.at && input.at <= ctx.now) throw invalid("at", "future")
  const { title, type, target } = input
  const added = insert(notifications)
    .values({
      siteId: site.id,
      title,
      message: input.message,
      type,
      actionUrl: input.action_url ?? null,
      imageUrl: input.image_url ?? null,
      target,
      status: isLater ? "scheduled" : "sending",
      scheduledAt: input.at ?? null,
      createdByName: ctx.actor.name,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .returning()
  const [[created]] = await commitSite(ctx, site, {
    writes: [added],
    trail: [{ subject: "notification", id: sql`last_insert_rowid()`, deed: "created", data: { title, type, target } }],
  })
  if (!created) throw new Error("the notification was not stored")
  if (isLater) return created
  return (await deliverNotification(ctx, site.database, created.id)) ?? created
}
