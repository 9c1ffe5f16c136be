// Creates notifications, sent immediately or scheduled.
import { sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import type { FieldRule } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import { notifications } from "../../db/schema/sites/notifications"
import { inSite } from "../../db/site-scope"
import type { SiteRef } from "../site"
import { deliverNotification } from "./deliver"
import type { CreateNotification } from "./schemas"

/** Returns the rule that a scheduled time violates. */
export const findScheduleError = (ctx: Ctx, at: Date | undefined): FieldRule | null =>
  at && at <= ctx.now ? "future" : null

/**
 * Stores a notification and, unless it is scheduled, starts delivering it.
 * @returns the notification after the first delivery run
 * @throws Refusal `validation_failed` for `at` when the time is in the past
 */
export async function createNotification(
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof CreateNotification>,
): Promise<typeof notifications.$inferSelect> {
  const fields = input.complete({ at: findScheduleError(ctx, input.valid.at) })
  const { title, type, target } = fields
  const isScheduled = fields.at !== undefined
  const addNotification = inSite(site.id)
    .insert(notifications)
    .values({
      title,
      message: fields.message,
      type,
      actionUrl: fields.action_url ?? null,
      imageUrl: fields.image_url ?? null,
      target,
      status: isScheduled ? "scheduled" : "sending",
      scheduledAt: fields.at ?? null,
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
  try {
    return (await deliverNotification(ctx, site.database, created.id)) ?? created
  } catch (cause) {
    // The notification exists, so a client must not create it again. The cron delivers it.
    ctx.log.error("delivering a new notification failed", cause, { notification: created.id })
    return created
  }
}
