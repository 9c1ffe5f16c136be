// Actions of staff on the account of a customer: disable it, enable it again, export everything about the person, erase
// it.
import { and, eq, isNotNull, isNull } from "drizzle-orm"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { retryOnConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import { notificationRecipients } from "../../db/schema/sites/notifications"
import { userSettings } from "../../db/schema/sites/settings"
import { userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched } from "../../db/write"
import { formatTimestamp } from "../../lib/time"
import { writeAsStaff } from "../staff/write"
import { authenticate, type User, type UserCtx } from "../user"
import { readAppData } from "./app-writes"
import { buildCustomerEvent } from "./customer-events"
import { buildErasureWrites } from "./erase"

async function loadCustomer(ctx: UserCtx, segment: string, role: "viewer" | "admin") {
  const isCustomer = and(eq(users.id, rowId(segment)), eq(users.isStaff, false))
  const { user, results } = await authenticate(ctx, () => [ctx.site.db.select().from(users).where(isCustomer)], {
    role,
  })
  const [[customer]] = results
  if (!customer) throw new Refusal("not_found")
  return { user, customer, isCustomer }
}

/**
 * Disables the account of a customer, which ends its logins, or enables it again. Does nothing when it is so already.
 * @throws Refusal `unauthenticated`, `forbidden`; `not_found`, also for staff
 */
export const setCustomerDisabled = (ctx: UserCtx, segment: string, isDisabled: boolean): Promise<void> =>
  retryOnConflict(async () => {
    const { user, customer, isCustomer } = await loadCustomer(ctx, segment, "admin")
    if ((customer.disabledAt !== null) === isDisabled) return
    const site = inSite(ctx.site.id)
    const isUnchanged = isDisabled ? isNull(users.disabledAt) : isNotNull(users.disabledAt)
    await writeAsStaff(ctx, user, {
      role: "admin",
      writes: [
        site
          .update(users)
          .set({ disabledAt: isDisabled ? ctx.now : null, updatedAt: ctx.now })
          .where(and(isCustomer, isUnchanged)),
        abortUnlessTouched,
        ...(isDisabled ? [site.remove(userTokens).where(eq(userTokens.userId, customer.id))] : []),
      ],
      auditLog: [{ subject: "customer", id: customer.id, action: isDisabled ? "disabled" : "enabled" }],
    })
  })

/**
 * Erases a customer: the account with its logins, devices, inbox, messages and reviews. Orders keep their amounts and
 * lose the customer, open ones when they are sent or cancelled.
 * @throws Refusal `unauthenticated`, `forbidden`; `not_found`, also for staff
 */
export const eraseCustomer = (ctx: UserCtx, segment: string): Promise<void> =>
  retryOnConflict(async () => {
    const { user, customer } = await loadCustomer(ctx, segment, "admin")
    await writeAsStaff(ctx, user, {
      role: "admin",
      writes: await buildErasureWrites(ctx, customer),
      auditLog: [{ subject: "customer", id: customer.id, action: "erased" }],
      events: [buildCustomerEvent("shop.customer.deleted", customer, customer.id, "staff")],
    })
  })

/**
 * Reads everything about a customer that is not a secret.
 * @throws Refusal `unauthenticated`, `forbidden`; `not_found`, also for staff
 */
export async function exportCustomer(ctx: UserCtx, segment: string): Promise<Record<string, unknown>> {
  const { customer } = await loadCustomer(ctx, segment, "viewer")
  const { db } = ctx.site
  const { id } = customer
  const [[[settings], devices, inbox], apps] = await Promise.all([
    batch(db, [
      db.select().from(userSettings).where(eq(userSettings.userId, id)),
      db.select().from(deviceTokens).where(eq(deviceTokens.userId, id)),
      db.select().from(notificationRecipients).where(eq(notificationRecipients.userId, id)),
    ]),
    readAppData(ctx.site, id),
  ])
  return {
    ...toProfile(customer),
    settings: settings ? { language: settings.language, notification_enabled: settings.notificationEnabled } : null,
    devices: devices.map((device) => ({
      platform: device.platform,
      is_active: device.isActive,
      created_at: formatTimestamp(device.createdAt),
    })),
    notifications: inbox.map(({ notificationId, createdAt, readAt, clickedAt }) => ({
      notification_id: notificationId,
      sent_at: formatTimestamp(createdAt),
      read_at: formatTimestamp(readAt),
      clicked_at: formatTimestamp(clickedAt),
    })),
    ...apps,
  }
}

const toProfile = (user: User) => ({
  id: user.id,
  email: user.email,
  first_name: user.firstName,
  last_name: user.lastName,
  phone: user.phone,
  dob: user.dob,
  gender: user.gender,
  description: user.description,
  avatar: user.avatar,
  email_verified_at: formatTimestamp(user.emailVerifiedAt),
  disabled_at: formatTimestamp(user.disabledAt),
  created_at: formatTimestamp(user.createdAt),
  updated_at: formatTimestamp(user.updatedAt),
})
