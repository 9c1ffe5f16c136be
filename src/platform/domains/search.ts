// Searches the domains of all stores.
import { and, asc, desc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { boundedScan } from "../../core/list/bounded-scan"
import { streamRows } from "../../core/list/stream"
import { domains } from "../../db/schema/central/domains"
import { isVerificationOverdue } from "../attention/conditions"
import type { Domain } from "./schemas"

export const DOMAINS_PAGE_SIZE = 50

export const DOMAIN_STATES = ["waiting", "unverified", "verified"] as const

export const SearchDomains = z.object({
  /** `waiting`: unverified for over a day. */
  state: queryChoice(DOMAIN_STATES),
  store: queryText,
  q: queryText,
  page: queryNumber(100_000).default(1),
})

/** Conditions per state, written exactly as in the partial indexes. */
const IS_CUSTOM = sql`is_fallback = 0`
const STATE_CONDITIONS: Record<"unverified" | "verified", SQL> = {
  unverified: sql`is_fallback = 0 and verified_at is null`,
  verified: sql`is_fallback = 0 and verified_at is not null`,
}

/**
 * Returns a page of custom domains, and whether more follow. Prefix matches are ordered by name, waiting domains by
 * creation, all others newest first.
 * @returns `scanned`: how many domains were scanned, if there may be more matches; else null
 */
export async function searchDomains(
  ctx: Ctx,
  { state, store, q, page }: z.output<typeof SearchDomains>,
): Promise<{ rows: Domain[]; more: boolean; scanned: number | null }> {
  const overdue = state === "waiting" ? and(STATE_CONDITIONS.unverified, isVerificationOverdue(ctx)) : undefined
  const stateCondition = overdue ?? (state && state !== "waiting" ? STATE_CONDITIONS[state] : IS_CUSTOM)
  const order = q ? [asc(domains.domain)] : overdue ? [desc(domains.createdAt)] : [desc(domains.id)]
  const indexed = q ? and(IS_CUSTOM, beginsWith(q)) : store ? eq(domains.storeId, store) : stateCondition
  const filter = q || store ? and(stateCondition, store ? eq(domains.storeId, store) : undefined) : undefined
  const { ids, scanned } = boundedScan(
    domains.id,
    { indexed: () => [indexed ?? IS_CUSTOM], filter, order },
    { limit: DOMAINS_PAGE_SIZE + 1, offset: (page - 1) * DOMAINS_PAGE_SIZE },
  )
  const rows = await ctx.db
    .select()
    .from(domains)
    .where(inArray(domains.id, ids))
    .orderBy(...order)
  return {
    rows: rows.slice(0, DOMAINS_PAGE_SIZE),
    more: rows.length > DOMAINS_PAGE_SIZE,
    scanned: store ? null : scanned,
  }
}

/** Streams all matching custom domains, newest first. */
export const streamDomains = (
  ctx: Ctx,
  { state, store, q }: z.output<typeof SearchDomains>,
): AsyncGenerator<Domain[]> =>
  streamRows(ctx.db, domains, domains.id, {
    indexed: store ? eq(domains.storeId, store) : undefined,
    filter: and(
      state === "waiting"
        ? and(STATE_CONDITIONS.unverified, isVerificationOverdue(ctx))
        : state
          ? STATE_CONDITIONS[state]
          : IS_CUSTOM,
      q ? beginsWith(q) : undefined,
    ),
  })

/** Matches hostnames with a prefix. */
function beginsWith(q: string): SQL | undefined {
  const start = q.trim().toLowerCase()
  return and(gte(domains.domain, start), lt(domains.domain, `${start}\u{10FFFF}`))
}
