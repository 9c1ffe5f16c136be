// Queries a site's users by email address.
import { and, eq, type SQL } from "drizzle-orm"
import { isUniqueViolation } from "../../db/errors"
import { users } from "../../db/schema/sites/users"
import type { SiteCtx } from "../site"

/** Normalizes an email address for comparison and the unique index. */
export const normalizeEmail = (email: string): string => email.toLowerCase()

/** Builds the condition that a user has an email address. */
export const hasEmail = ({ site }: SiteCtx, email: string): SQL | undefined =>
  and(eq(users.siteId, site.id), eq(users.emailKey, normalizeEmail(email)))

/** Selects the user of an email address. */
export const selectByEmail = (ctx: SiteCtx, email: string) =>
  ctx.site.db.select().from(users).where(hasEmail(ctx, email))

/** Returns whether a write failed because the email address is taken. */
export const isEmailTakenError = (thrown: unknown): boolean => isUniqueViolation(thrown, "users.email_key")
