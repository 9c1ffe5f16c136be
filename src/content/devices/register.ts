// Registers device tokens, anonymously or for the signed-in user.
import { and, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { deviceTokens } from "../../db/schema/sites/devices"
import { inSite } from "../../db/site-scope"
import { type UserCtx, writeAsUser } from "../user"
import type { RegisterDevice } from "./schemas"

/** Devices per user. Each costs a push per notification. */
const MAX_DEVICES = 50

type DeviceToken = typeof deviceTokens.$inferSelect

/**
 * Upserts the row of a token: one row per token and one per device. Omitted fields are unchanged, and a deactivated
 * token becomes active again.
 *
 * Knowing the token proves that the request comes from the device, so with a bearer token the device moves to that
 * user. A `device_id` is not secret and proves nothing: by it alone, the new token replaces the old one only when the
 * row is the caller's or has no user. Otherwise the token gets its own row without the id.
 * @returns the stored row
 * @throws Refusal `unauthenticated` for an invalid bearer token, `email_unverified`
 */
export async function registerDevice(ctx: UserCtx, input: z.output<typeof RegisterDevice>): Promise<DeviceToken> {
  const siteId = ctx.site.id
  const { token, device_id: deviceId = null } = input
  const [, , [row]] = await writeAsUser(ctx, (userId) => {
    const isSameDevice = and(eq(deviceTokens.deviceId, deviceId ?? ""), ne(deviceTokens.token, token))
    // Without a bearer token the user's id is null in SQL, which equals nothing.
    const isReplaceable = and(isSameDevice, or(isNull(deviceTokens.userId), eq(deviceTokens.userId, userId)))
    const isTokenStored = sql`exists (select 1 from ${deviceTokens} as "stored" where "stored"."site_id" = ${siteId} and "stored"."token" = ${token})`
    const availableDeviceId = sql`(select case when exists (select 1 from ${deviceTokens} where ${and(eq(deviceTokens.siteId, siteId), isSameDevice)}) then null else ${deviceId} end)`
    return [
      inSite(siteId).remove(deviceTokens).where(and(isReplaceable, isTokenStored)),
      inSite(siteId).update(deviceTokens).set({ token, userId }).where(isReplaceable),
      inSite(siteId)
        .insertSelect(
          deviceTokens,
          {
            userId,
            token,
            platform: input.platform ?? null,
            deviceId: availableDeviceId,
            appVersion: input.app_version ?? null,
            isActive: true,
            lastUsedAt: ctx.now,
            createdAt: ctx.now,
            updatedAt: ctx.now,
          },
          sql`where true`,
        )
        .onConflictDoUpdate({
          target: [deviceTokens.siteId, deviceTokens.token],
          set: {
            userId: coalesceExcluded("user_id"),
            platform: coalesceExcluded("platform"),
            deviceId: coalesceExcluded("device_id"),
            appVersion: coalesceExcluded("app_version"),
            isActive: true,
            lastUsedAt: ctx.now,
            updatedAt: ctx.now,
          },
        })
        .returning(),
      deleteOldestDevices(siteId, userId),
    ]
  })
  if (!row) throw new Error("the device token was not stored")
  return row
}

/** Deletes a user's devices beyond `MAX_DEVICES`, least recently used first. */
function deleteOldestDevices(siteId: string, userId: SQL | number) {
  const own = sql`${deviceTokens.siteId} = ${siteId} and ${deviceTokens.userId} = ${userId}`
  const newest = sql`${deviceTokens.lastUsedAt} desc, ${deviceTokens.id} desc`
  return inSite(siteId)
    .remove(deviceTokens)
    .where(
      sql`${deviceTokens.id} in (select ${deviceTokens.id} from ${deviceTokens} where ${own} order by ${newest} limit -1 offset ${MAX_DEVICES})`,
    )
}

/** Keeps a column's stored value when the input has none. */
const coalesceExcluded = (column: string): SQL =>
  sql`coalesce(excluded.${sql.identifier(column)}, ${sql.identifier(column)})`
