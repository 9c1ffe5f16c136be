// Finds the notification of a queue message, which names a database and no site.
import { eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { siteDatabase } from "../../db/client"
import { notifications } from "../../db/schema/sites/notifications"
import { acrossSites } from "../../db/site-scope"

/** Selects a notification by its id, which is unique within a site database. */
export const selectNotification = (ctx: Ctx, database: string, id: number) =>
  siteDatabase(ctx.env, database, acrossSites("notification_jobs"))
    .select()
    .from(notifications)
    .where(eq(notifications.id, id))
