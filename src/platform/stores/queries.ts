// Reads of stores, each one round trip.
import { and, asc, desc, eq, inArray, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import {
  compiledMatches,
  compiledPages,
  counted,
  type Page,
  type PageRequest,
  pageFrom,
  type Slice,
} from "../../core/list/page"
import { batch, type CentralDatabase, type Read, read } from "../../db/client"
import { joined, named } from "../../db/join-columns"
import { compiled, given } from "../../db/prepared"
import { domains } from "../../db/schema/central/domains"
import { type StoreStatus, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { memo } from "../../lib/memo"
import { PRIMARY_FACTS, STORE_FACTS, type StoreFacts } from "./schemas"

/** Stores with all that their resource is made of; `toFacts` reads the rows. */
export const storeFacts = (db: CentralDatabase) =>
  db
    .select({
      store: named(stores, STORE_FACTS),
      subscription: named(subscriptions),
      usage: named(usageSnapshots),
      primary: named(domains, PRIMARY_FACTS),
    })
    .from(stores)
    .leftJoin(subscriptions, eq(subscriptions.storeId, stores.id))
    .leftJoin(usageSnapshots, eq(usageSnapshots.storeId, stores.id))
    .leftJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .$dynamic()

type Row = Awaited<ReturnType<typeof storeFacts>>[number]

export const toFacts = (row: Row): StoreFacts => ({
  store: row.store,
  subscription: joined(row.subscription),
  usage: joined(row.usage),
  primary: joined(row.primary),
})

const storeById = compiled<Row, { id: string }>((db) => storeFacts(db).where(eq(stores.id, given("id"))))

/** The statement that reads one store; `oneStore` reads its answer. */
export const selectStore = (db: CentralDatabase, id: string | SQL): Read<Row[]> =>
  typeof id === "string" ? storeById({ id }) : storeFacts(db).where(eq(stores.id, id))

/**
 * The store that `selectStore` found.
 * @throws Refusal `not_found`, also for a later store of the name that the request was made for
 */
export function oneStore({ pinned }: Pick<Ctx, "pinned">, [row]: readonly Row[]): StoreFacts {
  if (!row || (pinned?.id === row.store.id && pinned.seq !== row.store.seq)) throw new Refusal("not_found")
  return toFacts(row)
}

/** @throws Refusal `not_found` */
export const loadStore = async (ctx: Ctx, id: string): Promise<StoreFacts> =>
  oneStore(ctx, await read(ctx.db, storeById({ id })))

/** What decides how a page of stores is read; the rest are values. */
interface Shape {
  search: "runs" | "beginnings" | "none"
  ofStatus: boolean
}

/** The statements of a page of one shape. Which stores is settled before anything is joined to them, so that a deep page does not look up
 * what it skips. */
const pagesOf = memo((text: string) => {
  const { search, ofStatus } = JSON.parse(text) as Shape
  const found = { none: undefined, runs: byRuns(given("phrase")), beginnings: byBeginnings(given("q"), given("end")) }
  const where = and(
    ofStatus ? eq(stores.status, given("status")) : undefined,
    found[search] && inArray(stores.seq, found[search]),
  )
  const slice = (db: CentralDatabase, { limit, offset }: Slice, direction: "forward" | "backward") => {
    const order = direction === "forward" ? desc(stores.seq) : asc(stores.seq)
    const shown = db.select({ seq: stores.seq }).from(stores).where(where).orderBy(order).limit(limit).offset(offset)
    return storeFacts(db).where(inArray(stores.seq, shown)).orderBy(order)
  }
  return search === "none"
    ? compiledPages<Row, object>(counted("stores", ofStatus ? given("status") : ""), slice)
    : compiledMatches<Row, object>(sql`(select count(*) from ${stores} where ${where})`, slice)
})

/**
 * A page of stores, the newest first.
 * @param filter `q` is folded already
 */
export async function pageOfStores(
  db: CentralDatabase,
  page: PageRequest,
  { status, q }: { status?: StoreStatus; q?: string },
): Promise<Page<StoreFacts>> {
  const shape: Shape = {
    search: q ? (hasRun(q) ? "runs" : "beginnings") : "none",
    ofStatus: status !== undefined,
  }
  const values = { status, ...(q && { q, phrase: phraseOf(q), end: endOf(q) }) }
  const { rows, total } = pageFrom(await batch(db, pagesOf(JSON.stringify(shape))(page, values)))
  return { rows: rows.map(toFacts), total }
}

/** The index holds runs of three characters. */
const RUN = 3

/** Whether a text is long enough for the index of runs. */
export const hasRun = (q: string): boolean => [...q].length >= RUN

/**
 * The `seq` of at most so many stores that hold a text, the newest or the oldest of them; of a text that is shorter than a run, any. It
 * reads no more, however many hold it.
 */
export const someMatches = (q: string, most: number, which: "newest" | "oldest" = "newest"): SQL =>
  hasRun(q)
    ? sql`(select rowid from stores_search where stores_search match ${phraseOf(q)}
        order by rowid ${sql.raw(which === "newest" ? "desc" : "asc")} limit ${most})`
    : sql`(select doc from stores_runs where term >= ${q} and term < ${endOf(q)} limit ${most})`

const phraseOf = (q: string): string => `"${q.replaceAll('"', '""')}"`

const endOf = (q: string): string => `${q}\u{10FFFF}`

const byRuns = (phrase: string | Placeholder): SQL =>
  sql`(select rowid from stores_search where stores_search match ${phrase})`

const byBeginnings = (from: string | Placeholder, end: string | Placeholder): SQL =>
  sql`(select doc from stores_runs where term >= ${from} and term < ${end})`
