// Searches the subscriptions of all stores.
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { boundedScan } from "../../core/list/bounded-scan"
import { orderByCreation, queryCreatedSort } from "../../core/list/created-sort"
import { selectCounter, selectTotal } from "../../core/list/page"
import { streamRows } from "../../core/list/stream"
import { batch } from "../../db/client"
import { BILLING_PROVIDERS } from "../../db/schema/central/billing-providers"
import {
  SUBSCRIPTION_STATUSES as STORED_STATUSES,
  type Subscription,
  subscriptions,
} from "../../db/schema/central/subscriptions"
import { isGraceEnding } from "../attention/conditions"

export const SUBSCRIPTIONS_PAGE_SIZE = 50

export const SUBSCRIPTION_STATUSES = STORED_STATUSES
export const PROVIDERS = BILLING_PROVIDERS

export const SearchSubscriptions = z.object({
  status: queryChoice(SUBSCRIPTION_STATUSES),
  provider: queryChoice(PROVIDERS),
  plan: queryText,
  /** Only past-due subscriptions whose grace period ends within so many days. */
  grace_within: z.union([z.literal("").transform(() => undefined), queryNumber(365)]).optional(),
  sort: queryCreatedSort,
  page: queryNumber(100_000).default(1),
})

const buildConditions = (
  ctx: Ctx,
  { status, provider, plan, grace_within: grace }: z.output<typeof SearchSubscriptions>,
): SQL[] =>
  [
    grace ? isGraceEnding(ctx, grace) : undefined,
    status && eq(subscriptions.status, status),
    plan ? sql`${subscriptions.plan} ->> '$.slug' = ${plan}` : undefined,
    provider && eq(subscriptions.provider, provider),
  ].filter((condition) => condition !== undefined)

/** Streams all matching subscriptions. */
export const streamSubscriptions = (
  ctx: Ctx,
  input: z.output<typeof SearchSubscriptions>,
): AsyncGenerator<Subscription[]> =>
  streamRows(ctx.db, subscriptions, subscriptions.id, {
    filter: and(...buildConditions(ctx, input)),
    sort: input.sort,
  })

/**
 * Returns a page of subscriptions, and whether more follow. A single filter is read through its index; several
 * filters, and `grace_within`, use a bounded scan of the first 5,000 index entries.
 * @returns `scanned`: the number of scanned rows if further matches may exist beyond them, else null
 */
export async function searchSubscriptions(
  ctx: Ctx,
  input: z.output<typeof SearchSubscriptions>,
): Promise<{ rows: Subscription[]; more: boolean; scanned: number | null }> {
  const { grace_within: grace, page } = input
  const [indexed = sql`true`, ...others] = buildConditions(ctx, input)
  const order = [orderByCreation(subscriptions.id, input.sort)]
  const { ids, scanned } = boundedScan(
    subscriptions.id,
    {
      indexed: () => [indexed],
      indexOrder: grace ? [asc(subscriptions.pastDueSince)] : undefined,
      filter: and(...others),
      order,
    },
    { limit: SUBSCRIPTIONS_PAGE_SIZE + 1, offset: (page - 1) * SUBSCRIPTIONS_PAGE_SIZE },
  )
  const [rows, [counter]] = await batch(ctx.db, [
    ctx.db
      .select()
      .from(subscriptions)
      .where(inArray(subscriptions.id, ids))
      .orderBy(...order),
    // Each store has at most one subscription.
    selectTotal(ctx.db, selectCounter("stores")),
  ])
  return {
    rows: rows.slice(0, SUBSCRIPTIONS_PAGE_SIZE),
    more: rows.length > SUBSCRIPTIONS_PAGE_SIZE,
    scanned: scanned !== null && counter && counter.total > scanned ? scanned : null,
  }
}
