// Registering a device token: by anyone, and for the user who comes along.
import { and, eq, isNull, ne, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { deviceTokens } from "../../db/schema/sites/devices"
import { insertSelect, remove, update } from "../../db/write"
import { asUser, type UserCtx } from "../user"
import type { RegisterDevice } from "./schemas"

type DeviceToken = typeof deviceTokens.$inferSelect

/**
 * Registers a token, or renews what is known of it. There is one row a token and one row a device: a token that is there
 * is updated, a device that comes with a new token trades its old one for it. What is left out keeps its value, and a token
 * that was deactivated is active again.
 *
 * With a bearer the token belongs to that user. Without one a token keeps its user, because only its own app knows it. A device's id
 * is no secret, so that by it alone nobody takes a user's device: the row stays as it is, and the new token has a row without the id.
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
    const traded = and(sameDevice, ctx.caller.token ? undefined : isNull(deviceTokens.userId))
    const known = sql`exists (select 1 from ${deviceTokens} as "known" where "known"."site_id" = ${siteId} and "known"."token" = ${token})`
    const free = sql`(select case when exists (select 1 from ${deviceTokens} where ${sameDevice}) then null else ${deviceId} end)`
    return [
      remove(deviceTokens).where(and(traded, known)),
      update(deviceTokens).set({ token, userId }).where(traded),
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
    ]
  })
  if (!row) throw new Error("the device token was not stored")
  return row
}

/** The value that came, or the one that is there. */
const keep = (column: string): SQL => sql`coalesce(excluded.${sql.identifier(column)}, ${sql.identifier(column)})`
