// Subscriptions over all stores, the newest first.
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { boundedScan } from "../../core/list/bounded-scan"
import { counted, selectTotal } from "../../core/list/page"
import { batch } from "../../db/client"
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

/**
 * A page of subscriptions, and whether older ones follow. By one filter they are read through its index; several, and those whose grace
 * ends soon, are looked for among the first 5 000 that the index leads to.
 * @returns also how many are looked at where there may be others, else null
 */
export async function searchSubscriptions(
  ctx: Ctx,
  { status, provider, plan, grace_within: grace, page }: z.output<typeof SearchSubscriptions>,
): Promise<{ rows: Subscription[]; more: boolean; looked: number | null }> {
  const [first = sql`true`, ...others] = [
    grace ? graceEndsWithin(ctx, grace) : undefined,
    status && eq(subscriptions.status, status),
    plan ? sql`${subscriptions.plan} ->> '$.slug' = ${plan}` : undefined,
    provider && eq(subscriptions.provider, provider),
  ].filter((one) => one !== undefined)
  const order = [desc(subscriptions.id)]
  const { ids, looked } = boundedScan(
    subscriptions.id,
    { lead: () => [first], by: grace ? [asc(subscriptions.pastDueSince)] : undefined, also: and(...others), order },
    { limit: SUBSCRIPTIONS_PAGE + 1, offset: (page - 1) * SUBSCRIPTIONS_PAGE },
  )
  const [rows, [all]] = await batch(ctx.db, [
    ctx.db
      .select()
      .from(subscriptions)
      .where(inArray(subscriptions.id, ids))
      .orderBy(...order),
    // A store has one at most.
    selectTotal(ctx.db, counted("stores")),
  ])
  return {
    rows: rows.slice(0, SUBSCRIPTIONS_PAGE),
    more: rows.length > SUBSCRIPTIONS_PAGE,
    looked: looked !== null && all && all.total > looked ? looked : null,
  }
}
