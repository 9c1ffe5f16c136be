// Reads stores, one round trip per function.

import { and, asc, desc, eq, inArray, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import {
  type Page,
  type PageRequest,
  pageFrom,
  prepareMatches,
  preparePages,
  type Slice,
  selectCounter,
} from "../../core/list/page"
import { batch, type CentralDatabase, type Read, read } from "../../db/client"
import { aliasedColumns, nullIfUnmatched } from "../../db/join-columns"
import { sortDirection } from "../../db/literal"
import { param, prepareRead } from "../../db/prepared"
import { domains } from "../../db/schema/central/domains"
import { type StoreStatus, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { memoize } from "../../lib/memo"
import { PRIMARY_DOMAIN_COLUMNS, STORE_COLUMNS, type StoreDetails } from "./schemas"

/** Selects stores with everything their resource is built from; `toStoreDetails` maps the rows. */
export const selectStoreDetails = (db: CentralDatabase) =>
  db
    .select({
      store: aliasedColumns(stores, STORE_COLUMNS),
      subscription: aliasedColumns(subscriptions),
      usage: aliasedColumns(usageSnapshots),
      primary: aliasedColumns(domains, PRIMARY_DOMAIN_COLUMNS),
    })
    .from(stores)
    .leftJoin(subscriptions, eq(subscriptions.storeId, stores.id))
    .leftJoin(usageSnapshots, eq(usageSnapshots.storeId, stores.id))
    .leftJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .$dynamic()

type Row = Awaited<ReturnType<typeof selectStoreDetails>>[number]

export const toStoreDetails = (row: Row): StoreDetails => ({
  store: row.store,
  subscription: nullIfUnmatched(row.subscription),
  usage: nullIfUnmatched(row.usage),
  primary: nullIfUnmatched(row.primary),
})

const storeById = prepareRead<Row, { id: string }>((db) => selectStoreDetails(db).where(eq(stores.id, param("id"))))

/** Selects one store; pass its rows to `requireStore`. */
export const selectStore = (db: CentralDatabase, id: string | SQL): Read<Row[]> =>
  typeof id === "string" ? storeById({ id }) : selectStoreDetails(db).where(eq(stores.id, id))

/**
 * Maps the rows of `selectStore` to the store.
 * @throws Refusal `not_found`, also when the request was made for an earlier store of the same subdomain
 */
export function requireStore({ pinned }: Pick<Ctx, "pinned">, [row]: readonly Row[]): StoreDetails {
  if (!row || (pinned?.id === row.store.id && pinned.seq !== row.store.seq)) throw new Refusal("not_found")
  return toStoreDetails(row)
}

/** @throws Refusal `not_found` */
export const loadStore = async (ctx: Ctx, id: string): Promise<StoreDetails> =>
  requireStore(ctx, await read(ctx.db, storeById({ id })))

/** The parts of a list query that change its SQL; the rest are parameters. */
interface QueryVariant {
  search: "trigram" | "prefix" | "none"
  hasStatus: boolean
  isUpdated: boolean
  isLimited: boolean
}

/**
 * Prepares the statements of a page. Stores are selected before the joins, so skipped rows of a deep page cost no
 * look-ups.
 */
const pageStatements = memoize((text: string) => {
  const { search, hasStatus, isUpdated, isLimited } = JSON.parse(text) as QueryVariant
  const matches = {
    none: undefined,
    trigram: matchTrigrams(param("phrase")),
    prefix: matchPrefix(param("q"), param("end")),
  }
  const where = and(
    hasStatus ? eq(stores.status, param("status")) : undefined,
    // The unary plus keeps SQLite from reading the list in the order of `updated_at`.
    isUpdated ? inArray(sql`+${stores.seq}`, selectUpdatedSince(param("updatedSince"))) : undefined,
    isLimited ? inArray(stores.seq, sql`(select value from json_each(${param("seqs")}))`) : undefined,
    matches[search] && inArray(stores.seq, matches[search]),
  )
  const slice = (db: CentralDatabase, { limit, offset }: Slice, direction: "forward" | "backward") => {
    const order = direction === "forward" ? desc(stores.seq) : asc(stores.seq)
    const page = db.select({ seq: stores.seq }).from(stores).where(where).orderBy(order).limit(limit).offset(offset)
    return selectStoreDetails(db).where(inArray(stores.seq, page)).orderBy(order)
  }
  return search === "none" && !isUpdated && !isLimited
    ? preparePages<Row, object>(selectCounter("stores", hasStatus ? param("status") : ""), slice)
    : prepareMatches<Row, object>(sql`(select count(*) from ${stores} where ${where})`, slice)
})

/**
 * Loads a page of stores, newest first.
 * @param filter `q` is already folded; `seqs` are the only stores to list, null for all
 */
export async function loadStorePage(
  db: CentralDatabase,
  page: PageRequest,
  {
    status,
    q,
    updatedSince,
    seqs,
  }: { status?: StoreStatus; q?: string; updatedSince?: Date; seqs?: readonly number[] | null },
): Promise<Page<StoreDetails>> {
  const variant: QueryVariant = {
    search: q ? (hasTrigram(q) ? "trigram" : "prefix") : "none",
    hasStatus: status !== undefined,
    isUpdated: updatedSince !== undefined,
    isLimited: Boolean(seqs),
  }
  const values = {
    status,
    ...(q && { q, phrase: quotePhrase(q), end: prefixEnd(q) }),
    ...(updatedSince && { updatedSince: updatedSince.getTime() }),
    ...(seqs && { seqs: JSON.stringify(seqs) }),
  }
  const { rows, total } = pageFrom(await batch(db, pageStatements(JSON.stringify(variant))(page, values)))
  return { rows: rows.map(toStoreDetails), total }
}

/** The search index is a trigram index. */
const TRIGRAM_LENGTH = 3

/** Whether a query is long enough for the trigram index. */
export const hasTrigram = (q: string): boolean => [...q].length >= TRIGRAM_LENGTH

/**
 * Selects the `seq` of at most `limit` stores that contain a text, newest or oldest first. A query shorter than a
 * trigram matches trigrams by prefix, in any order. It reads no more than `limit` entries, however many match.
 */
export const selectMatches = (q: string, limit: number, order: "newest" | "oldest" = "newest"): SQL =>
  hasTrigram(q)
    ? sql`(select rowid from stores_search where stores_search match ${quotePhrase(q)}
        order by rowid ${sortDirection(order === "newest" ? "desc" : "asc")} limit ${limit})`
    : sql`(select doc from stores_runs where term >= ${q} and term < ${prefixEnd(q)} limit ${limit})`

/** Selects the stores that were updated at a time or later. */
const selectUpdatedSince = (since: Placeholder): SQL =>
  sql`(select ${stores.seq} from ${stores} where ${stores.updatedAt} >= ${since})`

const quotePhrase = (q: string): string => `"${q.replaceAll('"', '""')}"`

const prefixEnd = (q: string): string => `${q}\u{10FFFF}`

const matchTrigrams = (phrase: string | Placeholder): SQL =>
  sql`(select rowid from stores_search where stores_search match ${phrase})`

const matchPrefix = (from: string | Placeholder, end: string | Placeholder): SQL =>
  sql`(select doc from stores_runs where term >= ${from} and term < ${end})`
