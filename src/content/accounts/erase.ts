// Deletes a customer's account and what belongs to it. Orders keep their amounts
// and lose the customer, open ones when they are sent or cancelled.
import { and, eq, isNotNull, sql } from "drizzle-orm"
import type * as z from "zod"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import { afterRateLimit } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { WriteConflict } from "../../core/write/commit"
import { deviceTokens } from "../../db/schema/sites/devices"
import { mediaOrphans } from "../../db/schema/sites/media"
import { inboxCounts, notificationRecipients } from "../../db/schema/sites/notifications"
import { userSettings } from "../../db/schema/sites/settings"
import { userNetworks, userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched, type Write } from "../../db/write"
import type { SiteCtx } from "../site"
import { authenticate, type UserCtx, writeAsUser } from "../user"
import { buildAppErasureWrites, buildAttachWrites } from "./app-writes"
import { buildCustomerEvent } from "./customer-events"
import { deleteMailedTokens } from "./mailed-tokens"
import type { DeleteMe } from "./schemas"

/**
 * Deletes the account of the user, given the current password, with its logins, devices, inbox, messages and reviews.
 * @param hashing the permit for one hash
 * @throws Refusal as `hashing` does, `unauthenticated`; `forbidden` for members of the staff, whom an owner removes
 *   first; `wrong_password`
 */
export async function deleteAccount(
  ctx: UserCtx,
  { current_password: password }: z.output<typeof DeleteMe>,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const { user } = await afterRateLimit(hashing, authenticate(ctx, undefined, { allowUnverified: true }))
  if (user.isStaff) throw new Refusal("forbidden")
  if (!(await (await hashing).verify(password, user.passwordHash))) throw new Refusal("wrong_password")
  const writes = await buildErasureWrites(ctx, user)
  try {
    const events = [buildCustomerEvent("shop.customer.deleted", user, user.id)]
    await writeAsUser(ctx, () => writes, { allowUnverified: true, events })
  } catch (cause) {
    // The password was changed, or the user joined the staff, since the check.
    if (cause instanceof WriteConflict) throw new Refusal("wrong_password")
    throw cause
  }
}

/**
 * Builds the writes that delete a customer and everything that belongs to the account. They abort if the customer has
 * another password than the given one by then, or belongs to the staff.
 */
export async function buildErasureWrites(
  ctx: SiteCtx,
  { id: userId, passwordHash, emailKey }: Pick<typeof users.$inferSelect, "id" | "passwordHash" | "emailKey">,
): Promise<Write[]> {
  const site = inSite(ctx.site.id)
  const isCustomer = and(eq(users.id, userId), eq(users.passwordHash, passwordHash), eq(users.isStaff, false))
  const isConfirmed = and(eq(users.emailKey, emailKey), isNotNull(users.emailVerifiedAt))
  const attachment = await buildAttachWrites(ctx.site.id, {
    userId: sql<number>`(select ${users.id} from ${users} where ${and(eq(users.siteId, ctx.site.id), isCustomer, isConfirmed)})`,
    email: emailKey,
    now: ctx.now,
  })
  const apps = await buildAppErasureWrites(ctx.site.id, userId)
  return [
    // What the customer did as a guest since the last sign-in is deleted too.
    ...attachment,
    // The sweep deletes the picture.
    site.insertSelect(
      mediaOrphans,
      { path: sql`${users.avatar}`, dueAt: ctx.now },
      sql`from ${users} where ${and(eq(users.siteId, ctx.site.id), isCustomer, isNotNull(users.avatar))}`,
    ),
    site.remove(users).where(isCustomer),
    abortUnlessTouched,
    ...apps,
    site.remove(userTokens).where(eq(userTokens.userId, userId)),
    site.remove(userNetworks).where(eq(userNetworks.userId, userId)),
    ...deleteMailedTokens(ctx, userId),
    site.remove(deviceTokens).where(eq(deviceTokens.userId, userId)),
    site.remove(notificationRecipients).where(eq(notificationRecipients.userId, userId)),
    site.remove(inboxCounts).where(eq(inboxCounts.userId, userId)),
    site.remove(userSettings).where(eq(userSettings.userId, userId)),
  ]
}
