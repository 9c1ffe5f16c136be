// Device tokens: registered by anyone, managed by the user they belong to.
import { and, desc, eq, ne, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { invalid, Refusal } from "../../core/refusal"
import { deviceTokens } from "../../db/schema/sites/devices"
import type { SiteCtx } from "../site"
import { authed, identified, type UserCtx } from "../user"
import type { RegisterDevice, UpdateDevice } from "./schemas"

type DeviceToken = typeof deviceTokens.$inferSelect

/**
 * Registers a token, or renews what is known of it. There is one row a token and one row a device: a token that is there
 * is updated, a device that comes with a new token trades its old one for it. What is left out keeps its value, and a token
 * that was deactivated is active again.
 *
 * With a bearer the token belongs to that user. Without one, a token keeps its user, because only its own app knows it; a device
 * that comes with another token does not, because a device's id is no secret.
 * @throws Refusal `unauthenticated` for a bearer that is no good
 */
export async function registerDevice(ctx: UserCtx, input: z.output<typeof RegisterDevice>): Promise<DeviceToken> {
  const { db, id: siteId } = ctx.site
  const { token, device_id: deviceId = null } = input
  const now = ctx.now.getTime()
  const { answers } = await identified(ctx, (userId) => {
    const admitted = ctx.caller.token ? sql`${userId} is not null` : sql`true`
    const traded = and(
      eq(deviceTokens.siteId, siteId),
      eq(deviceTokens.deviceId, deviceId ?? ""),
      ne(deviceTokens.token, token),
      admitted,
    )
    const known = sql`exists (select 1 from ${deviceTokens} as "known" where "known"."site_id" = ${siteId} and "known"."token" = ${token})`
    return [
      db.delete(deviceTokens).where(and(traded, known)),
      db.update(deviceTokens).set({ token, userId }).where(traded),
      db
        .insert(deviceTokens)
        .select(
          sql`select null, ${siteId}, ${userId}, ${token}, ${input.platform ?? null}, ${deviceId},
            ${input.app_version ?? null}, 1, ${now}, ${now}, ${now} where ${admitted}`,
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
  const [row] = answers[2]
  if (!row) throw new Error("the device token was not stored")
  return row
}

/** The value that came, or the one that is there. */
const keep = (column: string): SQL => sql`coalesce(excluded.${sql.identifier(column)}, ${sql.identifier(column)})`

/** The user's active tokens, the latest first. */
export async function listDevices(ctx: UserCtx): Promise<DeviceToken[]> {
  const { answers } = await authed(ctx, (userId) => [
    ctx.site.db
      .select()
      .from(deviceTokens)
      .where(and(ownedBy(ctx, userId), eq(deviceTokens.isActive, true)))
      .orderBy(desc(deviceTokens.id)),
  ])
  return answers[0]
}

/**
 * Changes what is said of a device; what is left out stays as it is.
 * @throws Refusal `unauthenticated`, `device_not_found`, `validation_failed` for a device that has another token
 */
export async function updateDevice(
  ctx: UserCtx,
  { id, ...input }: z.output<typeof UpdateDevice> & { id: number },
): Promise<DeviceToken> {
  const given = { platform: input.platform, deviceId: input.device_id, appVersion: input.app_version }
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))
  try {
    return await change(ctx, id, changed)
  } catch (cause) {
    if (isOtherDevice(cause)) throw invalid("device_id", "taken")
    throw cause
  }
}

/** @throws Refusal `unauthenticated`, `device_not_found` */
export const deactivateDevice = (ctx: UserCtx, id: number): Promise<DeviceToken> => change(ctx, id, { isActive: false })

async function change(ctx: UserCtx, id: number, values: Partial<DeviceToken>): Promise<DeviceToken> {
  const { answers } = await authed(ctx, (userId) => [
    ctx.site.db
      .update(deviceTokens)
      .set({ ...values, updatedAt: ctx.now })
      .where(and(ownedBy(ctx, userId), eq(deviceTokens.id, id)))
      .returning(),
  ])
  return found(answers[0])
}

/**
 * Deletes one of the user's tokens.
 * @param which its row's id, or the token itself
 * @throws Refusal `unauthenticated`, `device_not_found`
 */
export async function deleteDevice(ctx: UserCtx, which: { id: number } | { token: string }): Promise<void> {
  const { answers } = await authed(ctx, (userId) => [
    ctx.site.db
      .delete(deviceTokens)
      .where(
        and(ownedBy(ctx, userId), "id" in which ? eq(deviceTokens.id, which.id) : eq(deviceTokens.token, which.token)),
      )
      .returning(),
  ])
  found(answers[0])
}

const ownedBy = ({ site }: SiteCtx, userId: SQL<number>): SQL | undefined =>
  and(eq(deviceTokens.siteId, site.id), eq(deviceTokens.userId, userId))

function found(rows: DeviceToken[]): DeviceToken {
  const [row] = rows
  if (!row) throw new Refusal("device_not_found")
  return row
}

function isOtherDevice(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error.message.includes("UNIQUE constraint failed: device_tokens.site_id, device_tokens.device_id")) return true
  }
  return false
}
