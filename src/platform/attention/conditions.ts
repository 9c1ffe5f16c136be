// The conditions of items that need attention. The overview counts them, and the linked lists filter by them.
import { and, eq, gt, isNull, lt, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { domains } from "../../db/schema/central/domains"
import { apiKeys } from "../../db/schema/central/keys"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { addMs, DAY } from "../../lib/time"

/** Matches past-due subscriptions whose grace period ends within so many days. */
export const isGraceEnding = (ctx: Ctx, days: number): SQL | undefined =>
  and(
    eq(subscriptions.status, "past_due"),
    lte(subscriptions.pastDueSince, addMs(ctx.now, (days - ctx.settings.TENANCY_BILLING_GRACE_DAYS) * DAY)),
  )

/**
 * Matches domains that have been unverified for more than a day. Has to match the condition of the partial index
 * literally.
 */
export const isVerificationOverdue = (ctx: Ctx): SQL | undefined =>
  and(isNull(domains.verifiedAt), sql`${domains.isFallback} = 0`, lt(domains.createdAt, addMs(ctx.now, -DAY)))

/** Matches API keys that expire within so many days. */
export const isKeyExpiring = (ctx: Ctx, days: number): SQL | undefined =>
  and(isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, ctx.now), lte(apiKeys.expiresAt, addMs(ctx.now, days * DAY)))
