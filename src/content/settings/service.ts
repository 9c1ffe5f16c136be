// Reads and updates a user's settings.
import { eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { prepareSiteRead } from "../../db/prepared"
import { userSettings as table } from "../../db/schema/sites/settings"
import { inSite } from "../../db/site-scope"
import { authenticate, type CallerParams, callerUserId, getCallerParams, type UserCtx, writeAsUser } from "../user"
import { DEFAULT_SETTINGS, type UpdateSettings, type UserSettings, userSettings } from "./schemas"

/** The prepared read of a user's settings row. */
export const selectSettings = prepareSiteRead<typeof table.$inferSelect, CallerParams>((db) =>
  db.select().from(table).where(eq(table.userId, callerUserId)),
)

/**
 * Reads the user's settings.
 * @throws Refusal `unauthenticated`
 */
export async function readSettings(ctx: UserCtx): Promise<z.input<typeof UserSettings>> {
  const { results } = await authenticate(ctx, () => [selectSettings(getCallerParams(ctx))])
  return userSettings(results[0][0])
}

/**
 * Updates only the fields that the input contains.
 * @returns all settings
 * @throws Refusal `unauthenticated`
 */
export async function updateSettings(
  ctx: UserCtx,
  input: z.output<typeof UpdateSettings>,
): Promise<z.input<typeof UserSettings>> {
  const fields = {
    biometricEnabled: input.biometric_enabled,
    notificationEnabled: input.notification_enabled,
    language: input.language,
    currency: input.currency,
    theme: input.theme,
    timezone: input.timezone,
  }
  const changed = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const values = { ...DEFAULT_SETTINGS, ...changed }
  const [, rows] = await writeAsUser(ctx, (userId) => {
    const insertion = inSite(ctx.site.id).insertSelect(table, { userId, ...values }, sql`where true`)
    return [
      Object.keys(changed).length
        ? insertion.onConflictDoUpdate({ target: [table.siteId, table.userId], set: changed })
        : insertion.onConflictDoNothing(),
      selectSettings(getCallerParams(ctx)),
    ]
  })
  return userSettings(rows[0])
}
