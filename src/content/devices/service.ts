// Service functions of device tokens for the users who own them.
import { and, desc, eq } from "drizzle-orm"
import type { Input } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { isUniqueViolation } from "../../db/errors"
import { prepareSiteRead } from "../../db/prepared"
import { deviceTokens } from "../../db/schema/sites/devices"
import { inSite } from "../../db/site-scope"
import { authenticate, type CallerParams, callerUserId, getCallerParams, type UserCtx, writeAsUser } from "../user"
import type { UpdateDevice } from "./schemas"

type DeviceToken = typeof deviceTokens.$inferSelect

/** Lists the user's active device tokens, newest first. */
export async function listDevices(ctx: UserCtx): Promise<DeviceToken[]> {
  const { results } = await authenticate(ctx, () => [selectActiveDevices(getCallerParams(ctx))])
  return results[0]
}

const selectActiveDevices = prepareSiteRead<DeviceToken, CallerParams>((db) =>
  db
    .select()
    .from(deviceTokens)
    .where(and(eq(deviceTokens.userId, callerUserId), eq(deviceTokens.isActive, true)))
    .orderBy(desc(deviceTokens.id)),
)

/**
 * Updates the fields of a device that are present.
 * @throws Refusal `unauthenticated`, `device_not_found`, `validation_failed` for a `device_id` that another token has
 */
export async function updateDevice(ctx: UserCtx, id: number, input: Input<typeof UpdateDevice>): Promise<DeviceToken> {
  const values = await input.completeBeforeCommit(async ({ device_id: deviceId }) => {
    const { results } = await authenticate(ctx, () => [selectByDeviceId(ctx, deviceId ?? "")])
    return { device_id: deviceId && results[0].some((row) => row.id !== id) ? "taken" : null }
  })
  const fields = { platform: values.platform, deviceId: values.device_id, appVersion: values.app_version }
  const changed = Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
  try {
    return await updateOwnDevice(ctx, id, changed)
  } catch (cause) {
    if (isUniqueViolation(cause, "device_tokens.device_id")) throw input.reject("device_id", "taken")
    throw cause
  }
}

const selectByDeviceId = ({ site }: UserCtx, deviceId: string) =>
  site.db.select({ id: deviceTokens.id }).from(deviceTokens).where(eq(deviceTokens.deviceId, deviceId))

/**
 * Deactivates a device of the user.
 * @throws Refusal `unauthenticated`, `device_not_found`
 */
export const deactivateDevice = (ctx: UserCtx, id: number): Promise<DeviceToken> =>
  updateOwnDevice(ctx, id, { isActive: false })

async function updateOwnDevice(ctx: UserCtx, id: number, values: Partial<DeviceToken>): Promise<DeviceToken> {
  const [rows] = await writeAsUser(ctx, (userId) => [
    inSite(ctx.site.id)
      .update(deviceTokens)
      .set({ ...values, updatedAt: ctx.now })
      .where(and(eq(deviceTokens.userId, userId), eq(deviceTokens.id, id)))
      .returning(),
  ])
  return firstRow(rows)
}

/**
 * Deletes one of the user's tokens.
 * @param device its row's id, or the token itself
 * @throws Refusal `unauthenticated`, `device_not_found`
 */
export async function deleteDevice(ctx: UserCtx, device: { id: number } | { token: string }): Promise<void> {
  const isDevice = "id" in device ? eq(deviceTokens.id, device.id) : eq(deviceTokens.token, device.token)
  const [rows] = await writeAsUser(ctx, (userId) => [
    inSite(ctx.site.id)
      .remove(deviceTokens)
      .where(and(eq(deviceTokens.userId, userId), isDevice))
      .returning(),
  ])
  firstRow(rows)
}

function firstRow(rows: DeviceToken[]): DeviceToken {
  const [row] = rows
  if (!row) throw new Refusal("device_not_found")
  return row
}
