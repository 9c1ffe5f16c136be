// Domains over all stores, the newest first.
import { and, desc, eq, isNotNull, isNull, like } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryChoice, queryNumber, queryText } from "../../core/validation"
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

/** A page of custom domains, and whether older ones follow. */
export async function searchDomains(
  ctx: Ctx,
  input: z.output<typeof SearchDomains>,
): Promise<{ rows: Domain[]; more: boolean }> {
  const states = {
    waiting: waitsLong(ctx),
    unverified: isNull(domains.verifiedAt),
    verified: isNotNull(domains.verifiedAt),
  }
  const rows = await ctx.db
    .select()
    .from(domains)
    .where(
      and(
        eq(domains.isFallback, false),
        input.state && states[input.state],
        input.store ? eq(domains.storeId, input.store) : undefined,
        input.q ? like(domains.domain, `${input.q.replaceAll(/[%_]/g, "").toLowerCase()}%`) : undefined,
      ),
    )
    .orderBy(desc(domains.id))
    .limit(DOMAINS_PAGE + 1)
    .offset((input.page - 1) * DOMAINS_PAGE)
  return { rows: rows.slice(0, DOMAINS_PAGE), more: rows.length > DOMAINS_PAGE }
}
