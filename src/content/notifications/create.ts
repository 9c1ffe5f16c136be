// Creates notifications, sent immediately or scheduled.
import { sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import { notifications } from "../../db/schema/sites/notifications"
import { inSite } from "../../db/site-scope"
import type { SiteRef } from "../site"
import { deliverNotification } from "./deliver"
import type { CreateNotification } from "./schemas"

/**
 * Stores a notification and, unless it is scheduled, starts delivering it.
 * @returns the notification after the first delivery run
 * @throws Refusal `validation_failed` for `at` when the time is in the past
 */
export async function createNotification(
  ctx: Ctx,
  site: SiteRef,
  input: z.output<typeof CreateNotification>,
): Promise<typeof notifications.$inferSelect> {
  const isScheduled = input.at !== undefined
  if (input.at && input.at <= ctx.now) throw invalid("at", "future")
  const { title, type, target } = input
  const addNotification = inSite(site.id)
    .insert(notifications)
    .values({
      title,
      message: input.message,
      type,
      actionUrl: input.action_url ?? null,
      imageUrl: input.image_url ?? null,
      target,
      status: isScheduled ? "scheduled" : "sending",
      scheduledAt: input.at ?? null,
      createdByName: ctx.actor.name,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .returning()
  const [[created]] = await commitSite(ctx, site, {
    writes: [addNotification],
    auditLog: [
      { subject: "notification", id: sql`last_insert_rowid()`, action: "created", data: { title, type, target } },
    ],
  })
  if (!created) throw new Error("The notification was not stored")
  if (isScheduled) return created
  return (await deliverNotification(ctx, site.database, created.id)) ?? created
}
