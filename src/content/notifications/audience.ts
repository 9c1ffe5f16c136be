// SQL conditions for the audience of a notification. Users of its target devices receive it in their inboxes, and the
// devices receive a push unless their user has switched push off.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type { SiteDatabase } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import type { NotificationTarget } from "../../db/schema/sites/notifications"
import { userSettings } from "../../db/schema/sites/settings"
import { users } from "../../db/schema/sites/users"

/** Matches the active devices of a target. */
export function isTargetDevice(siteId: string, target: NotificationTarget): SQL | undefined {
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

/** Matches the target devices that receive a push: no user is logged in, or the user has not switched push off. */
export const isPushTarget = (siteId: string, target: NotificationTarget): SQL | undefined =>
  and(
    isTargetDevice(siteId, target),
    sql`not exists (select 1 from ${userSettings} where ${and(
      eq(userSettings.siteId, siteId),
      eq(userSettings.userId, deviceTokens.userId),
      eq(userSettings.notificationEnabled, false),
    )})`,
  )

/** Counts the devices and users that a notification to a target would reach now. */
export async function countAudience(
  { id, db }: { id: string; db: SiteDatabase },
  target: NotificationTarget,
): Promise<{ devices: number; recipients: number }> {
  const [counts] = await db
    .select({
      devices: sql<number>`(select count(*) from ${deviceTokens} where ${isPushTarget(id, target)})`,
      recipients: sql<number>`(select count(distinct ${deviceTokens.userId}) from ${deviceTokens} where ${isTargetDevice(id, target)})`,
    })
    .from(sql`(select 1)`)
  return counts ?? { devices: 0, recipients: 0 }
}
