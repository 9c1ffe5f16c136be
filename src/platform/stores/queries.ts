// Reads of stores, each one round trip.
import { and, asc, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { counted, type Page, type PageRequest, readMatches, readPage, type Slice } from "../../core/page"
import { Refusal } from "../../core/refusal"
import type { CentralDatabase } from "../../db/client"
import { joined, named } from "../../db/joined"
import { prepared } from "../../db/prepared"
import { domains } from "../../db/schema/central/domains"
import { type StoreStatus, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import type { StoreFacts } from "./schemas"

/** Stores with all that their resource is made of; `toFacts` reads the rows. */
export const storeFacts = (db: CentralDatabase) =>
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

type Row = Awaited<ReturnType<typeof storeFacts>>[number]

export const toFacts = (row: Row): StoreFacts => ({
  store: row.store,
  subscription: joined(row.subscription),
  usage: joined(row.usage),
  primary: joined(row.primary),
})

/** The statement that reads one store; `oneStore` reads its answer. */
export const selectStore = (db: CentralDatabase, id: string | SQL) => storeFacts(db).where(eq(stores.id, id))

/**
 * The store that `selectStore` found.
 * @throws Refusal `not_found`
 */
export function oneStore([row]: readonly Row[]): StoreFacts {
  if (!row) throw new Refusal("not_found")
  return toFacts(row)
}

const storeById = prepared((db) =>
  storeFacts(db)
    .where(eq(stores.id, sql.placeholder("id")))
    .prepare(),
)

/** @throws Refusal `not_found` */
export const loadStore = async (ctx: Ctx, id: string): Promise<StoreFacts> =>
  oneStore(await storeById(ctx.db).execute({ id }))

/**
 * A page of stores, the newest first. Which stores is settled before anything is joined to them, so that a deep page does not
 * look up what it skips.
 * @param filter `q` is folded already
 */
export async function pageOfStores(
  db: CentralDatabase,
  page: PageRequest,
  { status, q }: { status?: StoreStatus; q?: string },
): Promise<Page<StoreFacts>> {
  const where = and(status && eq(stores.status, status), q ? inArray(stores.seq, matches(q)) : undefined)
  const read = ({ limit, offset }: Slice, direction: "forward" | "backward") => {
    const order = direction === "forward" ? desc(stores.seq) : asc(stores.seq)
    const shown = db.select({ seq: stores.seq }).from(stores).where(where).orderBy(order).limit(limit).offset(offset)
    return storeFacts(db).where(inArray(stores.seq, shown)).orderBy(order)
  }
  const found = q
    ? await readMatches<Row>(db, page, db.select({ total: count() }).from(stores).where(where), read)
    : await readPage<Row>(db, page, counted("stores", status), read)
  return { rows: found.rows.map(toFacts), total: found.total }
}

/** The index holds runs of three characters. */
const RUN = 3

/**
 * The `seq` of at most so many stores that hold a text, the newest of them; of a text that is shorter than a run, any. It reads no more,
 * however many hold it.
 */
export const someMatches = (q: string, most: number): SQL =>
  [...q].length >= RUN
    ? sql`(select rowid from stores_search where stores_search match ${phrase(q)} order by rowid desc limit ${most})`
    : sql`(select doc from stores_runs where term >= ${q} and term < ${`${q}\u{10FFFF}`} limit ${most})`

const phrase = (q: string): string => `"${q.replaceAll('"', '""')}"`

/** The `seq` of stores that hold a text: by its runs where it has any, else by the runs that begin with it. */
export const matches = (q: string): SQL =>
  [...q].length >= RUN
    ? sql`(select rowid from stores_search where stores_search match ${phrase(q)})`
    : sql`(select doc from stores_runs where term >= ${q} and term < ${`${q}\u{10FFFF}`})`
