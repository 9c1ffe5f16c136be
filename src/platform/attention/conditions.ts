// What counts as needing somebody; the lists that the overview leads to ask for the same.
import { and, eq, gt, isNull, lt, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { domains } from "../../db/schema/central/domains"
import { apiKeys } from "../../db/schema/central/keys"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { DAY, later } from "../../lib/time"

/** Past-due subscriptions whose grace ends within so many days. */
export const graceEndsWithin = (ctx: Ctx, days: number): SQL | undefined =>
  and(
    eq(subscriptions.status, "past_due"),
    lte(subscriptions.pastDueSince, later(ctx.now, (days - ctx.settings.TENANCY_BILLING_GRACE_DAYS) * DAY)),
  )

/** Domains that wait for their record longer than a day; written as their index has it. */
export const waitsLong = (ctx: Ctx): SQL | undefined =>
  and(isNull(domains.verifiedAt), sql`${domains.isFallback} = 0`, lt(domains.createdAt, later(ctx.now, -DAY)))

/** Keys that stop working within so many days. */
export const expiresWithin = (ctx: Ctx, days: number): SQL | undefined =>
  and(isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, ctx.now), lte(apiKeys.expiresAt, later(ctx.now, days * DAY)))
