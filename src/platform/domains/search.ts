// Domains over all stores.
import { and, asc, desc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { boundedScan } from "../../core/list/bounded-scan"
import { domains } from "../../db/schema/central/domains"
import { waitsLong } from "../attention/conditions"
import type { Domain } from "./schemas"

export const DOMAINS_PAGE = 50

export const DOMAIN_STATES = ["waiting", "unverified", "verified"] as const

export const SearchDomains = z.object({
  /** `waiting` are those unverified for over a day. */
  state: queryChoice(DOMAIN_STATES),
  store: queryText,
  q: queryText,
  page: queryNumber(100_000).default(1),
})

/** Custom domains by their state, written as their indexes have them. */
const CUSTOM = sql`is_fallback = 0`
const OF_STATE: Record<"unverified" | "verified", SQL> = {
  unverified: sql`is_fallback = 0 and verified_at is null`,
  verified: sql`is_fallback = 0 and verified_at is not null`,
}

/**
 * A page of custom domains, and whether others follow: of those that begin with a text by name, of those that wait the one that came last,
 * else the newest first.
 * @returns also how many are looked at where there may be others, else null
 */
export async function searchDomains(
  ctx: Ctx,
  { state, store, q, page }: z.output<typeof SearchDomains>,
): Promise<{ rows: Domain[]; more: boolean; looked: number | null }> {
  const late = state === "waiting" ? and(OF_STATE.unverified, waitsLong(ctx)) : undefined
  const wanted = late ?? (state && state !== "waiting" ? OF_STATE[state] : CUSTOM)
  const order = q ? [asc(domains.domain)] : late ? [desc(domains.createdAt)] : [desc(domains.id)]
  const lead = q ? and(CUSTOM, beginsWith(q)) : store ? eq(domains.storeId, store) : wanted
  const also = q || store ? and(wanted, store ? eq(domains.storeId, store) : undefined) : undefined
  const { ids, looked } = boundedScan(
    domains.id,
    { lead: () => [lead ?? CUSTOM], also, order },
    { limit: DOMAINS_PAGE + 1, offset: (page - 1) * DOMAINS_PAGE },
  )
  const rows = await ctx.db
    .select()
    .from(domains)
    .where(inArray(domains.id, ids))
    .orderBy(...order)
  return { rows: rows.slice(0, DOMAINS_PAGE), more: rows.length > DOMAINS_PAGE, looked: store ? null : looked }
}

/** Names that begin with a text. */
function beginsWith(q: string): SQL | undefined {
  const start = q.trim().toLowerCase()
  return and(gte(domains.domain, start), lt(domains.domain, `${start}\u{10FFFF}`))
}
