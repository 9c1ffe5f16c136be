// Device tokens, as the user they belong to manages them.
import { and, desc, eq, type SQL } from "drizzle-orm"
import type * as z from "zod"
import { invalid, Refusal } from "../../core/http/refusal"
import { isUnique } from "../../db/errors"
import { compiled, given } from "../../db/prepared"
import { deviceTokens } from "../../db/schema/sites/devices"
import { remove, update } from "../../db/write"
import type { SiteCtx } from "../site"
import { type Asker, askerOf, askersId, asUser, authed, type UserCtx } from "../user"
import type { UpdateDevice } from "./schemas"

type DeviceToken = typeof deviceTokens.$inferSelect

/** The user's active tokens, the latest first. */
export async function listDevices(ctx: UserCtx): Promise<DeviceToken[]> {
  const { answers } = await authed(ctx, () => [activeDevices(askerOf(ctx))])
  return answers[0]
}

const activeDevices = compiled<DeviceToken, Asker>((db) =>
  db
    .select()
    .from(deviceTokens)
    .where(
      and(eq(deviceTokens.siteId, given("site")), eq(deviceTokens.userId, askersId), eq(deviceTokens.isActive, true)),
    )
    .orderBy(desc(deviceTokens.id)),
)

/**
 * Changes what is said of a device; what is left out stays as it is.
 * @throws Refusal `unauthenticated`, `device_not_found`, `validation_failed` for a device that has another token
 */
export async function updateDevice(
  ctx: UserCtx,
  { id, ...input }: z.output<typeof UpdateDevice> & { id: number },
): Promise<DeviceToken> {
  const told = { platform: input.platform, deviceId: input.device_id, appVersion: input.app_version }
  const changed = Object.fromEntries(Object.entries(told).filter(([, value]) => value != null))
  try {
    return await change(ctx, id, changed)
  } catch (cause) {
    if (isUnique(cause, "device_tokens.device_id")) throw invalid("device_id", "taken")
    throw cause
  }
}

/** @throws Refusal `unauthenticated`, `device_not_found` */
export const deactivateDevice = (ctx: UserCtx, id: number): Promise<DeviceToken> => change(ctx, id, { isActive: false })

async function change(ctx: UserCtx, id: number, values: Partial<DeviceToken>): Promise<DeviceToken> {
  const [rows] = await asUser(ctx, (userId) => [
    update(deviceTokens)
      .set({ ...values, updatedAt: ctx.now })
      .where(and(ownedBy(ctx, userId), eq(deviceTokens.id, id)))
      .returning(),
  ])
  return found(rows)
}

/**
 * Deletes one of the user's tokens.
 * @param which its row's id, or the token itself
 * @throws Refusal `unauthenticated`, `device_not_found`
 */
export async function deleteDevice(ctx: UserCtx, which: { id: number } | { token: string }): Promise<void> {
  const named = "id" in which ? eq(deviceTokens.id, which.id) : eq(deviceTokens.token, which.token)
  const [rows] = await asUser(ctx, (userId) => [
    remove(deviceTokens)
      .where(and(ownedBy(ctx, userId), named))
      .returning(),
  ])
  found(rows)
}

const ownedBy = ({ site }: SiteCtx, userId: SQL<number>): SQL | undefined =>
  and(eq(deviceTokens.siteId, site.id), eq(deviceTokens.userId, userId))

function found(rows: DeviceToken[]): DeviceToken {
  const [row] = rows
  if (!row) throw new Refusal("device_not_found")
  return row
}
