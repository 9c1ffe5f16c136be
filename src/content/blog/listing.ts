// Lists of published things: in the order asked for, a page at a time, all in one round trip. A page is first found as ids, so
// that whatever else is read of it, its rows, its categories, its authors, is read of those ids in the same batch.
import { asc, desc, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import * as z from "zod"
import type { Page, PageRequest } from "../../core/list/page"
import { batch, type SiteDatabase } from "../../db/client"
import { compiled, given, type Query } from "../../db/prepared"
import { memo } from "../../lib/memo"
import { pageQuery } from "../pagination"

const SORTS = ["created_at", "updated_at", "name", "id"] as const

/** The query parameters that every list of the blog takes. */
export const listQuery = {
  ...pageQuery(),
  sort_by: z.enum(SORTS).default("created_at"),
  order: z.enum(["asc", "desc"]).default("desc"),
}

export interface Sorting {
  sort_by: (typeof SORTS)[number]
  order: "asc" | "desc"
}

/** The columns that a list is sorted by; every table of the blog has them. */
interface Sorted {
  id: SQLiteColumn
  nameKey: SQLiteColumn
  createdAt: SQLiteColumn
  updatedAt: SQLiteColumn
}

/**
 * An `order by`, the id deciding between equals.
 * @param backward the reverse order
 */
function orderBy(table: Sorted, { sort_by, order }: Sorting, backward = false): SQL[] {
  const direction = (order === "asc") === backward ? desc : asc
  const columns = { id: [], name: [table.nameKey], created_at: [table.createdAt], updated_at: [table.updatedAt] }
  return [...columns[sort_by], table.id].map((column) => direction(column))
}

/** What a list is made of; the site is `given("site")`, and whatever else a request brings is given likewise. */
export interface Source {
  /** How many it holds. */
  total: SQL
  /** `select <id> from … where …`, without an order. */
  ids: SQL
  /** Whether its total and its order cost nothing: it is counted by triggers and read along an index. */
  indexed: boolean
}

/** What decides how a page is read, beside what a list adds to it; the rest are values. */
interface Shape extends Sorting {
  /** Whether it is the first page, which is read from the front whatever the list holds. */
  first: boolean
}

/** The ids of one page, as a subquery. */
function idsOf(table: Sorted, source: Source, shape: Shape): SQL {
  const [start, perPage] = [given("start"), given("perPage")]
  const slice = (limit: SQL, offset: SQL, backward: boolean) =>
    sql`${source.ids} order by ${sql.join(orderBy(table, shape, backward), sql`, `)} limit ${limit} offset ${offset}`
  if (shape.first) return slice(sql`${perPage}`, sql`0`, false)
  if (!source.indexed) return slice(sql`${perPage}`, sql`${start}`, false)
  // Which end of the list is nearer only the database knows, so it is asked for the page from both, and one answers nothing.
  const near = sql`${start} * 2 <= ${source.total}`
  const rest = sql`min(${perPage}, max(0, ${source.total} - ${start}))`
  const forward = slice(sql`(case when ${near} then ${perPage} else 0 end)`, sql`(${start})`, false)
  const behind = sql`(max(0, ${source.total} - ${start} - ${perPage}))`
  const backward = slice(sql`(case when ${near} then 0 else ${rest} end)`, behind, true)
  return sql`select id from (${forward}) union all select id from (${backward})`
}

/** A list of rows of one table. */
interface List<More> {
  table: SQLiteTable & Sorted
  /** What is shown of a row. */
  columns: Record<string, SQLiteColumn>
  source: (more: More) => Source
  /** Given the ids of a page as a subquery, the queries of what else is read of them. */
  related?: (ids: SQL, more: More) => ((db: SiteDatabase) => Query<unknown>)[]
}

/** A page, and what else was read of it, in the order of `related`. */
type PageWith<Row> = Page<Row> & { related: unknown[][] }

/**
 * Reads pages of a list, each in one round trip. The SQL of each order, and of whatever else decides it, is composed once.
 * @returns a function of the request, of the values that the list was composed with, and of what decides its source and relations
 */
export function compiledList<Row, More extends object = object>({ table, columns, source, related }: List<More>) {
  const readsOf = memo((text: string) => {
    const shape = JSON.parse(text) as Shape & More
    const from = source(shape)
    const ids = idsOf(table, from, shape)
    return {
      total: compiled<{ total: number }, object>((db) =>
        db.select({ total: sql<number>`${from.total}` }).from(sql`(select 1)`),
      ),
      rows: compiled<Row, object>(
        (db) =>
          db
            .select(columns)
            .from(table)
            .where(sql`${table.id} in (${ids})`)
            .orderBy(...orderBy(table, shape)) as unknown as Query<Row>,
      ),
      related: related?.(ids, shape).map((compose) => compiled<unknown, object>(compose)) ?? [],
    }
  })
  return async (
    db: SiteDatabase,
    { page, per_page: perPage, sort_by, order }: PageRequest & Sorting,
    values: object,
    more: More,
  ): Promise<PageWith<Row>> => {
    const shape: Shape & More = { ...more, sort_by, order, first: page === 1 }
    const reads = readsOf(JSON.stringify(shape))
    const all = { ...values, perPage, start: (page - 1) * perPage }
    const [totals, rows, ...found] = await batch(db, [
      reads.total(all),
      reads.rows(all),
      ...reads.related.map((read) => read(all)),
    ])
    return { rows, total: totals[0]?.total ?? 0, related: found }
  }
}
