// Stores found by what an operator asks for: one look, a page at a time, and no counting of what nobody looks at.
import { and, asc, desc, eq, gt, inArray, lt, or, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { STORE_STATUSES, statusesOf } from "../../core/http/store-access"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { boundedScan } from "../../core/list/bounded-scan"
import { counted, selectTotal } from "../../core/list/page"
import { batch } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
import { hasRun, someMatches, storeFacts, toFacts } from "./queries"
import { ListStores, type StoreFacts } from "./schemas"

export const STORES_PAGE = 50

export const ACCESS_STATES = ["serving", "preparing", "suspended", "unavailable"] as const
export const BILLINGS = ["stripe", "local", "none"] as const
export const STORE_SORTS = ["-created_at", "created_at", "name", "-name"] as const

export const SearchStores = z.object({
  status: queryChoice(STORE_STATUSES),
  access_state: queryChoice(ACCESS_STATES),
  plan: queryText,
  theme: queryText,
  billing: queryChoice(BILLINGS),
  q: ListStores.shape.q,
  sort: queryChoice(STORE_SORTS),
  page: queryNumber(100_000).default(1),
})

type Search = z.output<typeof SearchStores>
type Sort = (typeof STORE_SORTS)[number]

const ORDERS: Record<Sort, SQL[]> = {
  "-created_at": [desc(stores.seq)],
  created_at: [asc(stores.seq)],
  name: [asc(stores.name), asc(stores.seq)],
  "-name": [desc(stores.name), desc(stores.seq)],
}

/** What a store has to be: of one filter, as its index has it, any of these. */
type Condition = SQL[]

/** What a store has to be, but for the text that it holds. That which fewest stores are stands first: nearly all of them are `ready`. */
function conditions({ status, access_state, plan, theme, billing }: Search): Condition[] {
  const ofStatus = status && [eq(stores.status, status)]
  const common = status === "ready" || access_state === "serving"
  const standing = [ofStatus, access_state && statusesOf(access_state).map((one) => eq(stores.status, one))]
  const others = [
    plan && [eq(stores.plan, plan)],
    theme && [eq(stores.theme, theme)],
    billing && [eq(stores.billing, billing)],
  ]
  return (common ? [...others, ...standing] : [...standing, ...others]).filter((one) => one !== undefined && one !== "")
}

const allOf = (found: Condition[]): SQL | undefined => and(...found.map((any) => or(...any)))

/**
 * A page of the stores that are asked for, and whether more follow. By one filter they are read in any order through its index; a text
 * in an order of names, and several filters, are looked for among the first 5 000 that the index leads to.
 * @returns also how many are looked at where there may be others, else null
 */
export async function searchStores(
  ctx: Ctx,
  input: Search,
): Promise<{ rows: StoreFacts[]; more: boolean; looked: number | null }> {
  const sort = input.sort ?? "-created_at"
  const order = ORDERS[sort]
  const { q } = input
  const found = conditions(input)
  const [first = [sql`true`], ...others] = found
  const { ids, looked } = boundedScan(
    stores.seq,
    q
      ? {
          lead: (most) => [inArray(stores.seq, someMatches(q, most, sort === "created_at" ? "oldest" : "newest"))],
          by: hasRun(q) && !sort.endsWith("name") ? undefined : ORDERS["-created_at"],
          also: allOf(found),
          order,
        }
      : { lead: () => first, also: allOf(others), order },
    { limit: STORES_PAGE + 1, offset: (input.page - 1) * STORES_PAGE },
  )
  const [rows, [all]] = await batch(ctx.db, [
    storeFacts(ctx.db)
      .where(inArray(stores.seq, ids))
      .orderBy(...order),
    selectTotal(ctx.db, counted("stores")),
  ])
  return {
    rows: rows.slice(0, STORES_PAGE).map(toFacts),
    more: rows.length > STORES_PAGE,
    looked: looked !== null && all && all.total > looked ? looked : null,
  }
}

/** Stores that one step of a walk looks at. */
const STEP = 500

/**
 * All stores that are asked for, in the order asked for, in pieces: a million of them need no more room than a few, and no step reads more
 * than so many, however few of them are wanted.
 */
export async function* walkStores(ctx: Ctx, input: Search): AsyncGenerator<StoreFacts[]> {
  const sort = input.sort ?? "-created_at"
  const order = sql.join(ORDERS[sort], sql`, `)
  const { q } = input
  const [first = [sql`true`], ...others] = conditions(input)
  const also = and(allOf(others), q ? sql`instr(${stores.searchText}, ${q}) > 0` : undefined) ?? sql`true`
  for (let last: Place | undefined; ; ) {
    const ahead = last ? after(sort, last) : sql`true`
    const step = sql`(select * from (${sql.join(
      first.map(
        (which) =>
          sql`select * from (select * from ${stores} where ${and(which, ahead)} order by ${order} limit ${STEP})`,
      ),
      sql` union all `,
    )}) as ${stores} order by ${order} limit ${STEP})`
    const [rows, [end]] = await batch(ctx.db, [
      storeFacts(ctx.db)
        .where(inArray(stores.seq, sql`(select ${stores.seq} from ${step} as ${stores} where ${also})`))
        .orderBy(order),
      ctx.db
        .select({ seq: sql<number>`${stores.seq}`, name: sql<string>`${stores.name}` })
        .from(sql`${step} as ${stores}`)
        .orderBy(order)
        .limit(1)
        .offset(STEP - 1),
    ])
    if (rows.length) yield rows.map(toFacts)
    if (!end) return
    last = end
  }
}

type Place = Pick<StoreFacts["store"], "seq" | "name">

/** That a store comes behind a place. */
function after(sort: Sort, { seq, name }: Place): SQL {
  switch (sort) {
    case "-created_at":
      return lt(stores.seq, seq)
    case "created_at":
      return gt(stores.seq, seq)
    case "name":
      return sql`(${stores.name}, ${stores.seq}) > (${name}, ${seq})`
    case "-name":
      return sql`(${stores.name}, ${stores.seq}) < (${name}, ${seq})`
  }
}
