// Reads the format of a site's notifications. Requests know it from their gate; jobs and commands read it here.
import { eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { type NotificationFormat, siteSettings } from "../../db/schema/central/sites"

/** Reads the notification format of a site; `standard` for a site without settings. */
export async function readNotificationFormat(ctx: Ctx, siteId: string): Promise<NotificationFormat> {
  const [row] = await ctx.db
    .select({ format: siteSettings.notificationFormat })
    .from(siteSettings)
    .where(eq(siteSettings.siteId, siteId))
  return row?.format ?? "standard"
}
