// Registers device tokens, anonymously or for the signed-in user.
import { and, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { deviceTokens } from "../../db/schema/sites/devices"
import { insertSelect, remove, update } from "../../db/write"
import { asUser, type UserCtx } from "../user"
import type { RegisterDevice } from "./schemas"

/** Devices per user: each is a push to pay for. */
const MAX_DEVICES = 50

type DeviceToken = typeof deviceTokens.$inferSelect

/**
 * Creates or updates the row of a token: one row per token and one per device. Omitted fields keep their value, and a deactivated
 * token becomes active again.
 *
 * Knowing the token proves that the request comes from the device: with a bearer, the token moves to that user. A `device_id` is no
 * secret and proves nothing. By it alone, the new token replaces the old one only where the row is the caller's or has no user;
 * otherwise the token gets a row of its own without the id.
 * @returns the stored row
 * @throws Refusal `unauthenticated` for a bearer that is no good, `email_unverified`
 */
export async function registerDevice(ctx: UserCtx, input: z.output<typeof RegisterDevice>): Promise<DeviceToken> {
  const siteId = ctx.site.id
  const { token, device_id: deviceId = null } = input
  const [, , [row]] = await asUser(ctx, (userId) => {
    const sameDevice = and(
      eq(deviceTokens.siteId, siteId),
      eq(deviceTokens.deviceId, deviceId ?? ""),
      ne(deviceTokens.token, token),
    )
    // Without a bearer the user's id is null in SQL, which equals nothing.
    const replaceable = and(sameDevice, or(isNull(deviceTokens.userId), eq(deviceTokens.userId, userId)))
    const known = sql`exists (select 1 from ${deviceTokens} as "known" where "known"."site_id" = ${siteId} and "known"."token" = ${token})`
    const free = sql`(select case when exists (select 1 from ${deviceTokens} where ${sameDevice}) then null else ${deviceId} end)`
    return [
      remove(deviceTokens).where(and(replaceable, known)),
      update(deviceTokens).set({ token, userId }).where(replaceable),
      insertSelect(
        deviceTokens,
        {
          siteId,
          userId,
          token,
          platform: input.platform ?? null,
          deviceId: free,
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
            userId: keep("user_id"),
            platform: keep("platform"),
            deviceId: keep("device_id"),
            appVersion: keep("app_version"),
            isActive: true,
            lastUsedAt: ctx.now,
            updatedAt: ctx.now,
          },
        })
        .returning(),
      removeOldest(siteId, userId),
    ]
  })
  if (!row) throw new Error("the device token was not stored")
  return row
}

/** Removes a user's devices beyond `MAX_DEVICES`, the longest unused first. */
function removeOldest(siteId: string, userId: SQL | number) {
  const own = sql`${deviceTokens.siteId} = ${siteId} and ${deviceTokens.userId} = ${userId}`
  const newest = sql`${deviceTokens.lastUsedAt} desc, ${deviceTokens.id} desc`
  return remove(deviceTokens).where(
    sql`${deviceTokens.id} in (select ${deviceTokens.id} from ${deviceTokens} where ${own} order by ${newest} limit -1 offset ${MAX_DEVICES})`,
  )
}

/** The value that came, or the one that is there. */
const keep = (column: string): SQL => sql`coalesce(excluded.${sql.identifier(column)}, ${sql.identifier(column)})`
