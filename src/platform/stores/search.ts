// Stores found by what an operator asks for: one look, a page at a time, and no counting of what nobody looks at.
import { and, asc, desc, eq, gt, inArray, lt, or, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import { STORE_STATUSES, statusesOf } from "../../core/access"
import type { Ctx } from "../../core/context"
import { queryChoice, queryNumber, queryText } from "../../core/validation"
import { stores } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { matches, storeFacts, toFacts } from "./queries"
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

/** What a store has to be. */
function conditions({ status, access_state, plan, theme, billing, q }: Search): SQL | undefined {
  const subscribed = (also: SQL | undefined) =>
    sql`exists (select 1 from ${subscriptions} where ${and(eq(subscriptions.storeId, stores.id), also)})`
  const bills: Record<(typeof BILLINGS)[number], SQL> = {
    stripe: subscribed(eq(subscriptions.provider, "stripe")),
    local: subscribed(eq(subscriptions.provider, "local")),
    none: sql`not ${subscribed(undefined)}`,
  }
  return and(
    status && eq(stores.status, status),
    access_state && inArray(stores.status, statusesOf(access_state)),
    theme ? eq(stores.theme, theme) : undefined,
    plan ? subscribed(sql`json_extract(${subscriptions.plan}, '$.slug') = ${plan}`) : undefined,
    billing && bills[billing],
    q ? inArray(stores.seq, matches(q)) : undefined,
  )
}

const ORDERS: Record<(typeof STORE_SORTS)[number], SQL[]> = {
  "-created_at": [desc(stores.seq)],
  created_at: [asc(stores.seq)],
  name: [asc(stores.name), asc(stores.seq)],
  "-name": [desc(stores.name), desc(stores.seq)],
}

/** A page of the stores that are asked for, and whether more follow. */
export async function searchStores(ctx: Ctx, input: Search): Promise<{ rows: StoreFacts[]; more: boolean }> {
  const order = ORDERS[input.sort ?? "-created_at"]
  const shown = ctx.db
    .select({ seq: stores.seq })
    .from(stores)
    .where(conditions(input))
    .orderBy(...order)
    .limit(STORES_PAGE + 1)
    .offset((input.page - 1) * STORES_PAGE)
  const rows = await storeFacts(ctx.db)
    .where(inArray(stores.seq, shown))
    .orderBy(...order)
  return { rows: rows.slice(0, STORES_PAGE).map(toFacts), more: rows.length > STORES_PAGE }
}

/** Stores that one query of a walk reads. */
const STEP = 500

/** All stores that are asked for, in the order asked for, in pieces, so that a million of them need no more room than a few. */
export async function* walkStores(ctx: Ctx, input: Search): AsyncGenerator<StoreFacts[]> {
  const sort = input.sort ?? "-created_at"
  const order = ORDERS[sort]
  for (let last: StoreFacts["store"] | undefined; ; ) {
    const rows = await storeFacts(ctx.db)
      .where(and(conditions(input), last && after(sort, last)))
      .orderBy(...order)
      .limit(STEP)
    const found = rows.map(toFacts)
    if (found.length) yield found
    if (found.length < STEP) return
    last = found.at(-1)?.store
  }
}

/** That a store comes behind another one. */
function after(sort: (typeof STORE_SORTS)[number], { seq, name }: StoreFacts["store"]): SQL | undefined {
  switch (sort) {
    case "-created_at":
      return lt(stores.seq, seq)
    case "created_at":
      return gt(stores.seq, seq)
    case "name":
      return or(gt(stores.name, name), and(eq(stores.name, name), gt(stores.seq, seq)))
    case "-name":
      return or(lt(stores.name, name), and(eq(stores.name, name), lt(stores.seq, seq)))
  }
}
