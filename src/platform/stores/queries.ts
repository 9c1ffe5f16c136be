// Reads of stores, each one round trip.
import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { counted, type Page, type PageRequest, readPage } from "../../core/page"
import { Refusal } from "../../core/refusal"
import type { CentralDatabase } from "../../db/client"
import { joined, named } from "../../db/joined"
import { domains } from "../../db/schema/central/domains"
import { type StoreStatus, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import type { StoreFacts } from "./schemas"

/** Stores with all that their resource is made of; `toFacts` reads the rows. */
const storeFacts = (db: CentralDatabase) =>
  db
    .select({
      store: named(stores),
      subscription: named(subscriptions),
      usage: named(usageSnapshots),
      primary: named(domains),
    })
    .from(stores)
    .leftJoin(subscriptions, eq(subscriptions.storeId, stores.id))
    .leftJoin(usageSnapshots, eq(usageSnapshots.storeId, stores.id))
    .leftJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .$dynamic()

type Row = { [K in keyof StoreFacts]: NonNullable<StoreFacts[K]> }

const toFacts = (row: Row): StoreFacts => ({
  store: row.store,
  subscription: joined(row.subscription),
  usage: joined(row.usage),
  primary: joined(row.primary),
})

/** The statement that reads one store; `oneStore` reads its answer. */
export const selectStore = (db: CentralDatabase, id: string) => storeFacts(db).where(eq(stores.id, id))

/**
 * The store that `selectStore` found.
 * @throws Refusal `not_found`
 */
export function oneStore(rows: unknown): StoreFacts {
  const [row] = rows as Row[]
  if (!row) throw new Refusal("not_found")
  return toFacts(row)
}

/** @throws Refusal `not_found` */
export const loadStore = async (ctx: Ctx, id: string): Promise<StoreFacts> => oneStore(await selectStore(ctx.db, id))

/**
 * A page of stores, the newest first.
 * @param filter `q` is folded already; a term of three characters or more is looked up in the search index, a shorter one
 *   has no entry there and is looked for in every row
 */
export async function pageOfStores(
  db: CentralDatabase,
  page: PageRequest,
  filter: { status?: StoreStatus; q?: string },
): Promise<Page<StoreFacts>> {
  const where = and(
    filter.status && eq(stores.status, filter.status),
    filter.q ? (isIndexed(filter.q) ? inSearchIndex(filter.q) : contains(filter.q)) : undefined,
  )
  const total = filter.q ? sql`(select count(*) from ${stores} where ${where})` : counted("stores", filter.status)
  const found = await readPage<Row>(db, page, total, ({ limit, offset }, direction) =>
    storeFacts(db)
      .where(where)
      .orderBy(direction === "forward" ? desc(stores.seq) : asc(stores.seq))
      .limit(limit)
      .offset(offset),
  )
  return { rows: found.rows.map(toFacts), total: found.total }
}

/** The index holds runs of three characters. */
const isIndexed = (q: string): boolean => [...q].length >= 3

const inSearchIndex = (q: string): SQL =>
  sql`${stores.seq} in (select rowid from stores_search where stores_search match ${`"${q.replaceAll('"', '""')}"`})`

const contains = (q: string): SQL => sql`instr(${stores.searchText}, ${q}) > 0`
