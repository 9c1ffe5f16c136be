// Whom a notification is for: the devices of its target. Their users have it in their inboxes; those who switched push off are left
// out where it is sent.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type { SiteDatabase } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import type { NotificationTarget } from "../../db/schema/sites/notifications"
import { userSettings } from "../../db/schema/sites/settings"
import { users } from "../../db/schema/sites/users"

/** The active devices that a target means. */
export function meant(siteId: string, target: NotificationTarget): SQL | undefined {
  const platform = target === "android" || target === "ios" ? eq(deviceTokens.platform, target) : undefined
  const customers = sql`${deviceTokens.userId} in (select ${users.id} from ${users} where ${and(
    eq(users.siteId, siteId),
    eq(users.isStaff, false),
  )})`
  return and(
    eq(deviceTokens.siteId, siteId),
    eq(deviceTokens.isActive, true),
    platform,
    target === "customers" ? customers : undefined,
  )
}

/** Those of them that a push goes to: nobody is logged in on them, or somebody who did not switch push off. */
export const pushable = (siteId: string, target: NotificationTarget): SQL | undefined =>
  and(
    meant(siteId, target),
    sql`not exists (select 1 from ${userSettings} where ${and(
      eq(userSettings.siteId, siteId),
      eq(userSettings.userId, deviceTokens.userId),
      eq(userSettings.notificationEnabled, false),
    )})`,
  )

/** How many a notification to a target would reach, now. */
export async function countAudience(
  { id, db }: { id: string; db: SiteDatabase },
  target: NotificationTarget,
): Promise<{ devices: number; recipients: number }> {
  const [counts] = await db
    .select({
      devices: sql<number>`(select count(*) from ${deviceTokens} where ${pushable(id, target)})`,
      recipients: sql<number>`(select count(distinct ${deviceTokens.userId}) from ${deviceTokens} where ${meant(id, target)})`,
    })
    .from(sql`(select 1)`)
  return counts ?? { devices: 0, recipients: 0 }
}
