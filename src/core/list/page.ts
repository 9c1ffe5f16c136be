// Reads pages of a list, newest first, with a total from a trigger-maintained counter, in one round trip. A deep page
// is read from the nearer end of the list.
import { and, eq, type Placeholder, type SQL, sql } from "drizzle-orm"
import { batch, type CentralDatabase, type Read as Select, type SiteDatabase } from "../../db/client"
import { type PreparedRead, param, prepareRead, prepareSiteRead, type Query } from "../../db/prepared"
import { type CountedList, type CountedRowList, counters } from "../../db/schema/central/counters"

export interface PageRequest {
  page: number
  per_page: number
}

export interface Page<Row> {
  rows: Row[]
  total: number
}

/**
 * Selects a list's total from its trigger-maintained counter.
 * @param list the list, or the list of one row from `rowList`
 * @param filter the counted subset; an expression when only the database knows it
 */
export const selectCounter = (list: CountedList | RowList, filter: string | SQL | Placeholder = ""): SQL =>
  sql`(select coalesce((select ${counters.total} from ${counters} where ${and(
    eq(counters.list, typeof list === "string" ? list : list.name),
    eq(counters.filter, filter),
  )}), 0))`

/** The counter name of a list that belongs to one row. */
interface RowList {
  name: SQL
}

/**
 * Names the list of one row: a store's audit log, an endpoint's deliveries.
 * @param row the row's id, or an expression when only the database knows it
 */
export const rowList = (list: CountedRowList, row: SQL | number): RowList => ({
  // SQLite would format a bound JavaScript number as `12.0`.
  name: typeof row === "number" ? sql`${`${list}:${row}`}` : sql`${`${list}:`} || ${row}`,
})

/** The part of a list that a statement reads. */
export interface Slice {
  limit: number
  offset: number
}

/** The whole list, for lists that people create by hand. */
export const ALL_ROWS: Slice = { limit: -1, offset: 0 }

type Direction = "forward" | "backward"

type Read<Row> = (slice: Slice, direction: Direction) => Select<Row[]>

/** The total, then the page read from the front; for a deep page also from the back. One of the two returns no rows. */
type PageStatements<Row> = [Select<{ total: number }[]>, ...Select<Row[]>[]]

/** Drizzle accepts SQL and placeholders as limit and offset, although its types require numbers. */
const slice = (limit: unknown, offset: unknown) => ({ limit, offset }) as Slice

/** Computes a page's slice from both ends. Only the database knows the total, so both are part of the batch. */
function fromBothEnds(
  total: SQL,
  start: number | Placeholder,
  perPage: number | Placeholder,
): Record<Direction, Slice> {
  const near = sql`${start} * 2 <= ${total}`
  const count = sql`min(${perPage}, max(0, ${total} - ${start}))`
  return {
    forward: slice(sql`(case when ${near} then ${perPage} else 0 end)`, sql`(${start})`),
    backward: slice(sql`(case when ${near} then 0 else ${count} end)`, sql`(max(0, ${total} - ${start} - ${perPage}))`),
  }
}

/** Builds the statement that reads a total. */
export const selectTotal = (db: CentralDatabase, total: SQL) =>
  db.select({ total: sql<number>`${total}` }).from(sql`(select 1)`)

/**
 * Builds the statements that read one page; `pageFrom` reads their results.
 * @param total an expression for the list's length
 * @param read builds the statement for a slice, in list order or reversed
 */
function pageStatements<Row>(
  db: CentralDatabase,
  { page, per_page }: PageRequest,
  total: SQL,
  read: Read<Row>,
): PageStatements<Row> {
  // The first page is always nearest to the front.
  if (page === 1) return [selectTotal(db, total), read(slice(per_page, 0), "forward")]
  const { forward, backward } = fromBothEnds(total, (page - 1) * per_page, per_page)
  return [selectTotal(db, total), read(forward, "forward"), read(backward, "backward")]
}

type PreparedPages<Row, Given> = (
  request: PageRequest,
  values: Given,
) => [PreparedRead<{ total: number }>, ...PreparedRead<Row>[]]

/** Builds the query for a slice, in list order or reversed. */
type SliceQuery<Db, Row> = (db: Db, slice: Slice, direction: Direction) => Query<Row>

/** The bound values of a page. */
const pageValues = ({ page, per_page: perPage }: PageRequest) => ({ perPage, start: (page - 1) * perPage })

/** Prepares reads of one kind of database. */
type Prepare<Db> = <Row>(compose: (db: Db) => Query<Row>) => (values: never) => PreparedRead<Row>

/** Creates `preparePages` for one kind of database. */
const pagePreparer =
  <Db extends CentralDatabase, Base extends object>(prepare: Prepare<Db>) =>
  <Row, Given extends Base>(total: SQL, query: SliceQuery<Db, Row>): PreparedPages<Row, Given> => {
    const ends = fromBothEnds(total, param("start"), param("perPage"))
    const count = prepare((db) => selectTotal(db, total))
    const first = prepare((db) => query(db, slice(param("perPage"), 0), "forward"))
    const deep = (["forward", "backward"] as const).map((direction) =>
      prepare((db) => query(db, ends[direction], direction)),
    )
    return (request, filter) => {
      // lint: the keys of a filter are known to the prepared statements only
      const values = { ...filter, ...pageValues(request) } as never
      return [count(values), ...(request.page === 1 ? [first] : deep).map((statement) => statement(values))]
    }
  }

/**
 * Prepares the statements of a frequently read list.
 * @param total an expression for the list's length, with `param(name)` for bound values
 * @param query builds the query for a slice, likewise
 */
export const preparePages = pagePreparer<CentralDatabase, object>(prepareRead)

/** Prepares the statements of a list of one site, which the value `site` names; see `preparePages`. */
export const prepareSitePages = pagePreparer<SiteDatabase, { site: string }>(prepareSiteRead)

/**
 * Prepares the statements of a search. Its matches must be counted anyway, so pages are read from the front.
 * @param total an expression that counts the matches
 */
export function prepareMatches<Row, Given extends object>(
  total: SQL,
  query: SliceQuery<CentralDatabase, Row>,
): PreparedPages<Row, Given> {
  const count = prepareRead<{ total: number }, object>((db) => selectTotal(db, total))
  const rows = prepareRead<Row, object>((db) => query(db, slice(param("perPage"), param("start")), "forward"))
  return (request, filter) => {
    const values = { ...filter, ...pageValues(request) }
    return [count(values), rows(values)]
  }
}

/** Assembles the page from the results of its statements. */
export function pageFrom<Row>([counts, forward = [], backward = []]: [{ total: number }[], ...Row[][]]): Page<Row> {
  return { rows: forward.length ? forward : backward.reverse(), total: counts[0]?.total ?? 0 }
}

/** Reads a prepared page in one round trip. */
export const readPages = async <Row>(
  db: CentralDatabase,
  statements: [PreparedRead<{ total: number }>, ...PreparedRead<Row>[]],
): Promise<Page<Row>> => pageFrom(await batch(db, statements))

/** Reads a page in one round trip. */
export const readPage = async <Row>(
  db: CentralDatabase,
  request: PageRequest,
  total: SQL,
  read: Read<Row>,
): Promise<Page<Row>> => pageFrom(await batch(db, pageStatements(db, request, total, read)))

/**
 * Reads a page of search results in one round trip. Its matches must be counted anyway, so pages are read from the
 * front.
 * @param total the statement that counts the matches as `{total}`
 */
export async function readMatches<Row>(
  db: CentralDatabase,
  { page, per_page }: PageRequest,
  total: Select<{ total: number }[]>,
  read: Read<Row>,
): Promise<Page<Row>> {
  const slice = { limit: per_page, offset: (page - 1) * per_page }
  const [counts, rows] = await batch(db, [total, read(slice, "forward")])
  return { rows, total: counts[0]?.total ?? 0 }
}

/** Returns the number of the last page; an empty list has one page. */
export const toLastPage = (total: number, { per_page }: Pick<PageRequest, "per_page">): number =>
  Math.max(1, Math.ceil(total / per_page))
