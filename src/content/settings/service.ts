// A user's preferences: read, and changed in part.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { compiled, given } from "../../db/prepared"
import { userSettings as table } from "../../db/schema/sites/settings"
import { insertSelect } from "../../db/write"
import { type Asker, askerOf, askersId, asUser, authed, type UserCtx } from "../user"
import { DEFAULT_SETTINGS, type UpdateSettings, type UserSettings, userSettings } from "./schemas"

/** The statement that reads a user's preferences. */
export const settingsOfAsker = compiled<typeof table.$inferSelect, Asker>((db) =>
  db
    .select()
    .from(table)
    .where(and(eq(table.siteId, given("site")), eq(table.userId, askersId))),
)

/** @throws Refusal `unauthenticated` */
export async function readSettings(ctx: UserCtx): Promise<z.input<typeof UserSettings>> {
  const { answers } = await authed(ctx, () => [settingsOfAsker(askerOf(ctx))])
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
  const chosen = {
    biometricEnabled: input.biometric_enabled,
    notificationEnabled: input.notification_enabled,
    language: input.language,
    currency: input.currency,
    theme: input.theme,
    timezone: input.timezone,
  }
  const changed = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
  const values = { ...DEFAULT_SETTINGS, ...changed }
  const [, rows] = await asUser(ctx, (userId) => {
    const saved = insertSelect(table, { siteId: ctx.site.id, userId, ...values }, sql`where true`)
    return [
      Object.keys(changed).length
        ? saved.onConflictDoUpdate({ target: [table.siteId, table.userId], set: changed })
        : saved.onConflictDoNothing(),
      settingsOfAsker(askerOf(ctx)),
    ]
  })
  return userSettings(rows[0])
}
