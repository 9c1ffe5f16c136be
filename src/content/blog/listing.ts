// Lists of published things: in the order asked for, a page at a time, all in one round trip. A page is first found as ids, so
// that whatever else is read of it, its rows, its categories, its authors, is read of those ids in the same batch.
import { asc, desc, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import * as z from "zod"
import type { Page, PageRequest } from "../../core/page"
import { batch, type Read, type SiteDatabase } from "../../db/client"
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
export function orderBy(table: Sorted, { sort_by, order }: Sorting, backward = false): SQL[] {
  const direction = (order === "asc") === backward ? desc : asc
  const columns = { id: [], name: [table.nameKey], created_at: [table.createdAt], updated_at: [table.updatedAt] }
  return [...columns[sort_by], table.id].map((column) => direction(column))
}

/** What a list is made of. */
export interface Source {
  /** How many it holds. */
  total: SQL
  /** `select <id> from … where …`, without an order. */
  ids: SQL
  /** Whether its total and its order cost nothing: it is counted by triggers and read along an index. */
  indexed: boolean
}

/** The ids of one page, as a subquery. */
export const pageIds = (table: Sorted, source: Source, request: PageRequest & Sorting): SQL =>
  sliceIds(table, source, request, {
    start: request.page === 1 ? null : (request.page - 1) * request.per_page,
    perPage: request.per_page,
  })

/**
 * The ids of one slice, as a subquery.
 * @param start how many come before it; null for none, so that it is known to be read from the front
 */
export function sliceIds(
  table: Sorted,
  source: Source,
  request: Sorting,
  { start, perPage }: { start: number | Placeholder | null; perPage: number | Placeholder },
): SQL {
  const slice = (limit: SQL, offset: SQL, backward: boolean) =>
    sql`select id from (${source.ids} order by ${sql.join(orderBy(table, request, backward), sql`, `)} limit ${limit} offset ${offset})`
  if (start === null) return slice(sql`${perPage}`, sql`0`, false)
  if (!source.indexed) return slice(sql`${perPage}`, sql`${start}`, false)
  // Which end of the list is nearer only the database knows, so it is asked for the page from both, and one answers nothing.
  const near = sql`${start} * 2 <= ${source.total}`
  const rest = sql`min(${perPage}, max(0, ${source.total} - ${start}))`
  const forward = slice(sql`(case when ${near} then ${perPage} else 0 end)`, sql`(${start})`, false)
  const behind = sql`(max(0, ${source.total} - ${start} - ${perPage}))`
  return sql`${forward} union all ${slice(sql`(case when ${near} then 0 else ${rest} end)`, behind, true)}`
}

/** The statement that answers a total. */
export const selectTotal = (db: SiteDatabase, total: SQL) =>
  db.select({ total: sql<number>`${total}` }).from(sql`(select 1)`)

/** A page in the answers of `selectTotal` and of the statement that reads its rows. */
export const pageOf = <Row>([counted]: readonly { total: number }[], rows: Row[]): Page<Row> => ({
  total: counted?.total ?? 0,
  rows,
})

/**
 * Reads a page of a list of which nothing but its own columns is shown.
 * @param columns what is shown of a row
 * @param source a list that triggers count and an index orders
 */
export async function readPlainPage<Row>(
  db: SiteDatabase,
  table: SQLiteTable & Sorted,
  columns: Record<string, SQLiteColumn>,
  request: PageRequest & Sorting,
  source: Pick<Source, "ids" | "total">,
): Promise<Page<Row>> {
  const ids = pageIds(table, { ...source, indexed: true }, request)
  const rows = db
    .select(columns)
    .from(table)
    .where(sql`${table.id} in (${ids})`)
    .orderBy(...orderBy(table, request))
  const answers = await batch(db, [selectTotal(db, source.total), rows as unknown as Read<Row[]>])
  return pageOf(answers[0], answers[1])
}
