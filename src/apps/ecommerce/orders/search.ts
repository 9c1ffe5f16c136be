// Finds a shop's orders for its staff, and exports them.
import { and, asc, desc, eq, gt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import { foldCase } from "../../../content/case-folding"
import { authenticate, type UserCtx } from "../../../content/user"
import { queryNumber, searchTerm } from "../../../core/http/validation"
import { containsTerm, toSpellings } from "../../../db/term-search"
import { ORDER_STATUSES, orders } from "../tables"
import type { Order } from "./schemas"

/** The latest orders that a search reads. */
export const MAX_SEARCHED_ORDERS = 5_000

/** Orders per chunk of an export. */
const CHUNK_SIZE = 200

export const SearchOrders = z.object({
  page: queryNumber(100_000).default(1),
  status: z.enum(ORDER_STATUSES).optional(),
  search: searchTerm((value) => foldCase(value).replaceAll("\0", "").trim()).optional(),
})

interface OrderSearch {
  rows: Order[]
  hasMore: boolean
  /** Whether older orders than those that were read may match. */
  isIncomplete: boolean
}

/**
 * Finds orders by status, number, name and email address among the latest ones, newest first.
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export async function searchOrders(
  ctx: UserCtx,
  { page, status, search }: z.output<typeof SearchOrders>,
  pageSize: number,
): Promise<OrderSearch> {
  const { site } = ctx
  const latest = sql`(select ${orders.id} from ${orders} where ${eq(orders.siteId, site.id)}
    order by ${orders.id} desc limit ${MAX_SEARCHED_ORDERS})`
  const isFiltered = status !== undefined || Boolean(search)
  const condition = and(
    isFiltered ? sql`${orders.id} in ${latest}` : undefined,
    status && eq(orders.status, status),
    search ? matches(search) : undefined,
  )
  const { results } = await authenticate(
    ctx,
    () =>
      [
        site.db
          .select()
          .from(orders)
          .where(condition)
          .orderBy(desc(orders.id))
          .limit(pageSize + 1)
          .offset((page - 1) * pageSize),
        site.db
          .select({ id: orders.id })
          .from(orders)
          .orderBy(desc(orders.id))
          .limit(isFiltered ? 1 : 0)
          .offset(MAX_SEARCHED_ORDERS),
      ] as const,
    { role: "viewer" },
  )
  const [rows, beyond] = results
  return {
    rows: rows.slice(0, pageSize),
    hasMore: rows.length > pageSize,
    isIncomplete: isFiltered && beyond.length > 0,
  }
}

/** Matches the number as a whole, and a part of the customer's name or address. */
const matches = (term: string): SQL =>
  sql`(cast(${orders.number} as text) = ${term.replace(/^#/, "")}
    or ${containsTerm(sql`coalesce(${orders.customerName}, '') || ' ' || coalesce(${orders.customerEmail}, '')`, toSpellings(term))})`

/**
 * Reads all orders of a shop in chunks, for a member of the staff.
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export async function* readAllOrders(ctx: UserCtx): AsyncGenerator<Order[]> {
  let last = 0
  for (;;) {
    const { results } = await authenticate(
      ctx,
      () => [ctx.site.db.select().from(orders).where(gt(orders.id, last)).orderBy(asc(orders.id)).limit(CHUNK_SIZE)],
      { role: "viewer" },
    )
    const [rows] = results
    if (rows.length) yield [...rows]
    if (rows.length < CHUNK_SIZE) return
    last = rows.at(-1)?.id ?? last
  }
}
