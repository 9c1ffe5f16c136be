// Subscriptions over all stores, the newest first.
import { and, desc, eq, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryChoice, queryNumber, queryText } from "../../core/validation"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { graceEndsWithin } from "../attention/conditions"
import type { Subscription } from "./schemas"

export const SUBSCRIPTIONS_PAGE = 50

export const SUBSCRIPTION_STATUSES = ["trialing", "active", "past_due", "suspended", "cancelled"] as const
export const PROVIDERS = ["local", "stripe"] as const

export const SearchSubscriptions = z.object({
  status: queryChoice(SUBSCRIPTION_STATUSES),
  provider: queryChoice(PROVIDERS),
  plan: queryText,
  /** Past-due ones whose grace ends within so many days. */
  grace_within: z.union([z.literal("").transform(() => undefined), queryNumber(365)]).optional(),
  page: queryNumber(100_000).default(1),
})

/** A page of subscriptions, and whether older ones follow. */
export async function searchSubscriptions(
  ctx: Ctx,
  input: z.output<typeof SearchSubscriptions>,
): Promise<{ rows: Subscription[]; more: boolean }> {
  const rows = await ctx.db
    .select()
    .from(subscriptions)
    .where(
      and(
        input.status && eq(subscriptions.status, input.status),
        input.provider && eq(subscriptions.provider, input.provider),
        input.plan ? sql`json_extract(${subscriptions.plan}, '$.slug') = ${input.plan}` : undefined,
        input.grace_within ? graceEndsWithin(ctx, input.grace_within) : undefined,
      ),
    )
    .orderBy(desc(subscriptions.id))
    .limit(SUBSCRIPTIONS_PAGE + 1)
    .offset((input.page - 1) * SUBSCRIPTIONS_PAGE)
  return { rows: rows.slice(0, SUBSCRIPTIONS_PAGE), more: rows.length > SUBSCRIPTIONS_PAGE }
}
