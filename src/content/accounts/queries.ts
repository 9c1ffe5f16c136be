// Reads of one site's users.
import { and, eq, type SQL } from "drizzle-orm"
import { users } from "../../db/schema/sites/users"
import type { SiteCtx } from "../site"

/** Addresses are compared in lower case. */
export const emailKey = (email: string): string => email.toLowerCase()

/** The condition for the user of an address. */
export const hasEmail = ({ site }: SiteCtx, email: string): SQL | undefined =>
  and(eq(users.siteId, site.id), eq(users.emailKey, emailKey(email)))

/** The statement that finds the user of an address. */
export const selectByEmail = (ctx: SiteCtx, email: string) =>
  ctx.site.db.select().from(users).where(hasEmail(ctx, email))

/** Whether a write failed because the address was taken in the meantime. */
export function isTaken(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error.message.includes("UNIQUE constraint failed: users.site_id, users.email_key")) return true
  }
  return false
}
