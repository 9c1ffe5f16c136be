// Reads pages of the blog's lists in one round trip. A subquery selects the ids of a page; the rows, categories, tags
// and authors are read by those ids in the same batch.

import { asc, desc, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import * as z from "zod"
import { commaList, violates } from "../../core/http/validation"
import type { Page, PageRequest } from "../../core/list/page"
import { batch, type SiteDatabase } from "../../db/client"
import { param, prepareSiteRead, type Query } from "../../db/prepared"
import type { SiteTable } from "../../db/schema/site-table"
import { memoize } from "../../lib/memo"
import { pageQuery } from "../pagination"

/** Ids in a query, comma-separated. */
export const idList = commaList(
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number)
    .refine(Number.isSafeInteger, violates("format"))
    .meta({ type: "integer", minimum: 1 }),
  { max: 50 },
)

const SORTS = ["created_at", "updated_at", "name", "id"] as const

/** Query parameters of every blog list. */
export const listQuery = {
  ...pageQuery(),
  sort_by: z.enum(SORTS).default("created_at"),
  order: z.enum(["asc", "desc"]).default("desc"),
}

/** Query parameters of every filtered list of the blog. */
export const filterQuery = {
  ...pageQuery(),
  include: idList.optional(),
  exclude: idList.optional(),
  order_by: z.enum(["created_at", "updated_at", "id", "slug", "name", "title"]).default("created_at"),
  order: listQuery.order,
}

/** Returns the order of a filtered list; a title is what a name is elsewhere. */
export const toSorting = ({
  order_by,
  order,
}: {
  order_by: Sorting["sort_by"] | "title"
  order: Sorting["order"]
}): Sorting => ({ sort_by: order_by === "title" ? "name" : order_by, order })

export interface Sorting {
  sort_by: (typeof SORTS)[number] | "slug"
  order: "asc" | "desc"
}

/** The sort columns, which every blog table has. */
interface SortableTable {
  id: SQLiteColumn
  nameKey: SQLiteColumn
  slug: SQLiteColumn
  createdAt: SQLiteColumn
  updatedAt: SQLiteColumn
}

/**
 * Builds the `order by`, with the id as tie-breaker.
 * @param isReversed whether to sort in the opposite direction
 */
function orderBy(table: SortableTable, { sort_by, order }: Sorting, isReversed = false): SQL[] {
  const direction = (order === "asc") === isReversed ? desc : asc
  const columns = {
    id: [],
    name: [table.nameKey],
    slug: [table.slug],
    created_at: [table.createdAt],
    updated_at: [table.updatedAt],
  }
  return [...columns[sort_by], table.id].map((column) => direction(column))
}

/** The rows of a list. The site is a placeholder named `site`; other request values are placeholders too. */
export interface Source {
  /** The number of rows. */
  total: SQL
  /** `select <id> from … where …`, without an order. */
  ids: SQL
  /** Whether triggers maintain its total and an index has its order. */
  isIndexed: boolean
}

/** The part of a request that determines the SQL of a page, in addition to a list's own `Extra`. */
interface Shape extends Sorting {
  /** The first page is always read from the front of the list. */
  isFirstPage: boolean
}

/** Selects the ids of one page, as a subquery. */
function selectPageIds(table: SortableTable, source: Source, shape: Shape): SQL {
  const [start, perPage] = [param("start"), param("perPage")]
  const slice = (limit: SQL, offset: SQL, backward: boolean) =>
    sql`${source.ids} order by ${sql.join(orderBy(table, shape, backward), sql`, `)} limit ${limit} offset ${offset}`
  if (shape.isFirstPage) return slice(sql`${perPage}`, sql`0`, false)
  if (!source.isIndexed) return slice(sql`${perPage}`, sql`${start}`, false)
  // Only the database knows which end of the list is nearer, so the page is read from both and one of them returns no
  // rows.
  const isNearStart = sql`${start} * 2 <= ${source.total}`
  const rest = sql`min(${perPage}, max(0, ${source.total} - ${start}))`
  const forward = slice(sql`(case when ${isNearStart} then ${perPage} else 0 end)`, sql`(${start})`, false)
  const fromEnd = sql`(max(0, ${source.total} - ${start} - ${perPage}))`
  const backward = slice(sql`(case when ${isNearStart} then 0 else ${rest} end)`, fromEnd, true)
  return sql`select id from (${forward}) union all select id from (${backward})`
}

/** The definition of a list. */
interface List<Row, Extra> {
  table: SiteTable & SortableTable
  /** Selects the rows of a page from the table. */
  rows: (db: SiteDatabase, isOnPage: SQL, order: SQL[]) => Query<Row>
  source: (extra: Extra) => Source
  /** Builds the queries of the relations of a page's rows. Gets the ids of the page as a subquery. */
  related?: (ids: SQL, extra: Extra) => ((db: SiteDatabase) => Query<unknown>)[]
}

/** A page and its relations, in the order of `related`. */
type PageWith<Row> = Page<Row> & { related: unknown[][] }

/**
 * Prepares the reads of a list's pages. The SQL of each `Shape` is built once per isolate.
 * @returns a function that reads a page in one round trip, from the request, the placeholder values and the `Extra`
 */
export function prepareList<Row, Extra extends object = object>({ table, rows, source, related }: List<Row, Extra>) {
  const prepareReads = memoize((serializedShape: string) => {
    const shape = JSON.parse(serializedShape) as Shape & Extra
    const rowSource = source(shape)
    const ids = selectPageIds(table, rowSource, shape)
    return {
      total: prepareSiteRead<{ total: number }, { site: string }>((db) =>
        db.select({ total: sql<number>`${rowSource.total}` }).from(sql`(select 1)`),
      ),
      rows: prepareSiteRead<Row, { site: string }>((db) =>
        rows(db, sql`${table.id} in (${ids})`, orderBy(table, shape)),
      ),
      related: related?.(ids, shape).map((compose) => prepareSiteRead<unknown, { site: string }>(compose)) ?? [],
    }
  })
  return async (
    db: SiteDatabase,
    { page, per_page: perPage, sort_by, order }: PageRequest & Sorting,
    values: { site: string } & Record<string, unknown>,
    extra: Extra,
  ): Promise<PageWith<Row>> => {
    const shape: Shape & Extra = { ...extra, sort_by, order, isFirstPage: page === 1 }
    const reads = prepareReads(JSON.stringify(shape))
    const params = { ...values, perPage, start: (page - 1) * perPage }
    const [totals, rows, ...relations] = await batch(db, [
      reads.total(params),
      reads.rows(params),
      ...reads.related.map((read) => read(params)),
    ])
    return { rows, total: totals[0]?.total ?? 0, related: relations }
  }
}
