// Searches stores for the console: one query per page, without counting all matches.
import { and, asc, desc, eq, gt, inArray, lt, or, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { STORE_STATUSES, statusesOf } from "../../core/http/store-access"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { boundedScan } from "../../core/list/bounded-scan"
import { selectCounter, selectTotal } from "../../core/list/page"
import { batch } from "../../db/client"
import { API_BILLING_PROVIDERS } from "../../db/schema/central/billing-providers"
import { stores } from "../../db/schema/central/stores"
import { assertNever } from "../../lib/assert-never"
import { hasTrigram, selectMatches, selectStoreDetails, toStoreDetails } from "./queries"
import { ListStores, type StoreDetails } from "./schemas"

export const STORES_PAGE_SIZE = 50

export const ACCESS_STATES = ["serving", "preparing", "suspended", "unavailable"] as const
export const STORE_BILLING_PROVIDERS = API_BILLING_PROVIDERS
export const STORE_SORTS = ["-created_at", "created_at", "name", "-name"] as const

export const SearchStores = z.object({
  status: queryChoice(STORE_STATUSES),
  access_state: queryChoice(ACCESS_STATES),
  plan: queryText,
  theme: queryText,
  billing: queryChoice(STORE_BILLING_PROVIDERS),
  q: ListStores.shape.q,
  sort: queryChoice(STORE_SORTS),
  page: queryNumber(100_000).default(1),
})

type Search = z.output<typeof SearchStores>
type Sort = (typeof STORE_SORTS)[number]

const ORDER_BY: Record<Sort, SQL[]> = {
  "-created_at": [desc(stores.seq)],
  created_at: [asc(stores.seq)],
  name: [asc(stores.name), asc(stores.seq)],
  "-name": [desc(stores.name), desc(stores.seq)],
}

/** Alternatives of one filter, as its index expects them; a store has to match any of them. */
type Condition = SQL[]

/** Whether a filter by status matches nearly all stores. */
const isUnselective = ({ status, access_state }: Search): boolean => status === "ready" || access_state === "serving"

const isByName = (sort: Sort): boolean => sort === "name" || sort === "-name"

/**
 * Builds the conditions of all filters except the text. The most selective comes first: nearly all stores are `ready`.
 */
function buildConditions(search: Search): Condition[] {
  const { status, access_state, plan, theme, billing } = search
  const statusFilter = status && [eq(stores.status, status)]
  const statusFilters = [
    statusFilter,
    access_state && statusesOf(access_state).map((value) => eq(stores.status, value)),
  ]
  const remaining = [
    plan && [eq(stores.plan, plan)],
    theme && [eq(stores.theme, theme)],
    billing && [eq(stores.billing, billing)],
  ]
  return (isUnselective(search) ? [...remaining, ...statusFilters] : [...statusFilters, ...remaining]).filter(
    (filter) => filter !== undefined && filter !== "",
  )
}

const matchAll = (filters: Condition[]): SQL | undefined => and(...filters.map((any) => or(...any)))

/**
 * Returns a page of matching stores, and whether more follow. A single filter is read through its index, which is in
 * the order of creation. Combined filters, and any filter or text with an order by name, scan the first 5,000
 * candidates: an index by name for each filter would cost every change of a name as many rows.
 * @returns `scanned`: how many stores were scanned, if there may be more matches; else null
 */
export async function searchStores(
  ctx: Ctx,
  input: Search,
  pageSize = STORES_PAGE_SIZE,
): Promise<{ rows: StoreDetails[]; more: boolean; scanned: number | null }> {
  const sort = input.sort ?? "-created_at"
  const order = ORDER_BY[sort]
  const { q } = input
  const filters = buildConditions(input)
  // The index by name is scanned only for a filter that nearly all stores match.
  const indexed = isByName(sort) && filters.length === 1 && isUnselective(input) ? undefined : filters[0]
  const { ids, scanned } = boundedScan(
    stores.seq,
    q
      ? {
          indexed: (limit) => [
            inArray(stores.seq, selectMatches(q, limit, sort === "created_at" ? "oldest" : "newest")),
          ],
          indexOrder: hasTrigram(q) && !isByName(sort) ? undefined : ORDER_BY["-created_at"],
          filter: matchAll(filters),
          order,
        }
      : {
          indexed: () => indexed ?? [sql`true`],
          indexOrder: indexed && isByName(sort) ? ORDER_BY["-created_at"] : undefined,
          filter: matchAll(filters.filter((filter) => filter !== indexed)),
          order,
        },
    { limit: pageSize + 1, offset: (input.page - 1) * pageSize },
  )
  const [rows, [counts]] = await batch(ctx.db, [
    selectStoreDetails(ctx.db)
      .where(inArray(stores.seq, ids))
      .orderBy(...order),
    selectTotal(ctx.db, selectCounter("stores")),
  ])
  return {
    rows: rows.slice(0, pageSize).map(toStoreDetails),
    more: rows.length > pageSize,
    scanned: scanned !== null && counts && counts.total > scanned ? scanned : null,
  }
}

/** Stores scanned per query. */
const SCAN_BATCH_SIZE = 500

/**
 * Streams all matching stores in order, in batches: memory use is constant, and each query scans a bounded number of
 * stores, however few match.
 */
export async function* streamStores(ctx: Ctx, input: Search): AsyncGenerator<StoreDetails[]> {
  const sort = input.sort ?? "-created_at"
  const order = sql.join(ORDER_BY[sort], sql`, `)
  const { q } = input
  const filters = buildConditions(input)
  const first = (!isByName(sort) && filters.shift()) || [sql`true`]
  const conditions = and(matchAll(filters), q ? sql`instr(${stores.searchText}, ${q}) > 0` : undefined) ?? sql`true`
  for (let last: Cursor | undefined; ; ) {
    const isAhead = last ? isAfter(sort, last) : sql`true`
    const batchRows = sql`(select * from (${sql.join(
      first.map(
        (alternative) =>
          sql`select * from (select * from ${stores} where ${and(alternative, isAhead)} order by ${order} limit ${SCAN_BATCH_SIZE})`,
      ),
      sql` union all `,
    )}) as ${stores} order by ${order} limit ${SCAN_BATCH_SIZE})`
    const [rows, [end]] = await batch(ctx.db, [
      selectStoreDetails(ctx.db)
        .where(inArray(stores.seq, sql`(select ${stores.seq} from ${batchRows} as ${stores} where ${conditions})`))
        .orderBy(order),
      ctx.db
        .select({ seq: sql<number>`${stores.seq}`, name: sql<string>`${stores.name}` })
        .from(sql`${batchRows} as ${stores}`)
        .orderBy(order)
        .limit(1)
        .offset(SCAN_BATCH_SIZE - 1),
    ])
    if (rows.length) yield rows.map(toStoreDetails)
    if (!end) return
    last = end
  }
}

type Cursor = Pick<StoreDetails["store"], "seq" | "name">

/** Matches the stores after a cursor. */
function isAfter(sort: Sort, { seq, name }: Cursor): SQL {
  switch (sort) {
    case "-created_at":
      return lt(stores.seq, seq)
    case "created_at":
      return gt(stores.seq, seq)
    case "name":
      return sql`(${stores.name}, ${stores.seq}) > (${name}, ${seq})`
    case "-name":
      return sql`(${stores.name}, ${stores.seq}) < (${name}, ${seq})`
    default:
      return assertNever(sort)
  }
}
