// A user's preferences: read, and changed in part.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { userSettings as table } from "../../db/schema/sites/settings"
import { insertSelect } from "../../db/write"
import type { SiteCtx } from "../site"
import { asUser, authed, type UserCtx } from "../user"
import { DEFAULT_SETTINGS, type UpdateSettings, type UserSettings, userSettings } from "./schemas"

/** The statement that reads a user's preferences. */
export const selectSettings = ({ site }: SiteCtx, userId: SQL<number>) =>
  site.db
    .select()
    .from(table)
    .where(and(eq(table.siteId, site.id), eq(table.userId, userId)))

/** @throws Refusal `unauthenticated` */
export async function readSettings(ctx: UserCtx): Promise<z.input<typeof UserSettings>> {
  const { answers } = await authed(ctx, (userId) => [selectSettings(ctx, userId)])
  return userSettings(answers[0][0])
}

/**
 * Changes the preferences that are given and leaves the others.
 * @returns all of them
 * @throws Refusal `unauthenticated`
 */
export async function updateSettings(
  ctx: UserCtx,
  input: z.output<typeof UpdateSettings>,
): Promise<z.input<typeof UserSettings>> {
  const given = {
    biometricEnabled: input.biometric_enabled,
    notificationEnabled: input.notification_enabled,
    language: input.language,
    currency: input.currency,
    theme: input.theme,
    timezone: input.timezone,
  }
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const values = { ...DEFAULT_SETTINGS, ...changed }
  const [, rows] = await asUser(ctx, (userId) => {
    const saved = insertSelect(table, { siteId: ctx.site.id, userId, ...values }, sql`where true`)
    return [
      Object.keys(changed).length
        ? saved.onConflictDoUpdate({ target: [table.siteId, table.userId], set: changed })
        : saved.onConflictDoNothing(),
      selectSettings(ctx, userId),
    ]
  })
  return userSettings(rows[0])
}
