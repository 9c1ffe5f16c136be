// Pages of a list: the newest first, with a total that nobody has to count, in one round trip. A deep page is read from
// whichever end of the list is nearer.
import { and, eq, type Placeholder, type SQL, sql } from "drizzle-orm"
import { batch, type CentralDatabase, type Read as Select } from "../../db/client"
import { type CompiledRead, compiled, given, type Query } from "../../db/prepared"
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
 * A list's total as its triggers keep it.
 * @param list its name, or that of a list of one row with the row's id
 * @param filter within it; an expression for one that only the database knows
 */
export const counted = (list: CountedList | RowList, filter: string | SQL | Placeholder = ""): SQL =>
  sql`(select coalesce((select ${counters.total} from ${counters} where ${and(
    eq(counters.list, typeof list === "string" ? list : list.name),
    eq(counters.filter, filter),
  )}), 0))`

/** The name of a list that belongs to one row. */
interface RowList {
  name: SQL
}

/**
 * The list of one row: a store's trail, an endpoint's deliveries.
 * @param row its id, or SQL for one that only the database knows
 */
export const listOf = (list: CountedRowList, row: SQL | number): RowList => ({
  // A number in the database's hands would be written as `12.0`.
  name: typeof row === "number" ? sql`${`${list}:${row}`}` : sql`${`${list}:`} || ${row}`,
})

/** How much of a list a statement reads. */
export interface Slice {
  limit: number
  offset: number
}

/** All of a list: for those that people make by hand. */
export const WHOLE: Slice = { limit: -1, offset: 0 }

type Direction = "forward" | "backward"

type Read<Row> = (slice: Slice, direction: Direction) => Select<Row[]>

/** The total, then the page from the front of the list; of a deep page also from its back. One of the two reads nothing. */
type PageStatements<Row> = [Select<{ total: number }[]>, ...Select<Row[]>[]]

/** Drizzle takes SQL and placeholders for a limit and an offset, though its types name numbers. */
const slice = (limit: unknown, offset: unknown) => ({ limit, offset }) as Slice

/** A page from either end. Which of them is nearer is known to the database only, so that both are asked for. */
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

/** The statement that reads a total. */
export const selectTotal = (db: CentralDatabase, total: SQL) =>
  db.select({ total: sql<number>`${total}` }).from(sql`(select 1)`)

/**
 * The statements that read one page, for a batch of the caller's, where they stand last; `pageFrom` reads their answers.
 * @param total an expression for the list's length
 * @param read the statement for a slice of the list, in its order or in the reverse
 */
function pageStatements<Row>(
  db: CentralDatabase,
  { page, per_page }: PageRequest,
  total: SQL,
  read: Read<Row>,
): PageStatements<Row> {
  // No end is nearer to the first page than the front.
  if (page === 1) return [selectTotal(db, total), read(slice(per_page, 0), "forward")]
  const { forward, backward } = fromBothEnds(total, (page - 1) * per_page, per_page)
  return [selectTotal(db, total), read(forward, "forward"), read(backward, "backward")]
}

type CompiledPages<Row, Given> = (
  request: PageRequest,
  values: Given,
) => [CompiledRead<{ total: number }>, ...CompiledRead<Row>[]]

/** The query for a slice of a list, in its order or in the reverse. */
type SliceQuery<Row> = (db: CentralDatabase, slice: Slice, direction: Direction) => Query<Row>

/** What a page's reads are given, beside what its list's are. */
const pageValues = ({ page, per_page: perPage }: PageRequest) => ({ perPage, start: (page - 1) * perPage })

/**
 * The same for a list that is read so often that its statements are composed once.
 * @param total an expression for the list's length, with `given(name)` for what a request brings
 * @param query likewise
 */
export function compiledPages<Row, Given extends object>(
  total: SQL,
  query: SliceQuery<Row>,
): CompiledPages<Row, Given> {
  const ends = fromBothEnds(total, given("start"), given("perPage"))
  const count = compiled<{ total: number }, object>((db) => selectTotal(db, total))
  const first = compiled<Row, object>((db) => query(db, slice(given("perPage"), 0), "forward"))
  const deep = (["forward", "backward"] as const).map((direction) =>
    compiled<Row, object>((db) => query(db, ends[direction], direction)),
  )
  return (request, given) => {
    const values = { ...given, ...pageValues(request) }
    return [count(values), ...(request.page === 1 ? [first] : deep).map((statement) => statement(values))]
  }
}

/**
 * The same for what a search found. Its matches are read to be counted, so no end is nearer.
 * @param total an expression that counts the matches
 */
export function compiledMatches<Row, Given extends object>(
  total: SQL,
  query: SliceQuery<Row>,
): CompiledPages<Row, Given> {
  const count = compiled<{ total: number }, object>((db) => selectTotal(db, total))
  const rows = compiled<Row, object>((db) => query(db, slice(given("perPage"), given("start")), "forward"))
  return (request, given) => {
    const values = { ...given, ...pageValues(request) }
    return [count(values), rows(values)]
  }
}

/** The page in the answers of such statements. */
export function pageFrom<Row>([counts, forward = [], backward = []]: [{ total: number }[], ...Row[][]]): Page<Row> {
  return { rows: forward.length ? forward : backward.reverse(), total: counts[0]?.total ?? 0 }
}

/** Reads the page of such statements, in one round trip. */
export const readPages = async <Row>(
  db: CentralDatabase,
  statements: [CompiledRead<{ total: number }>, ...CompiledRead<Row>[]],
): Promise<Page<Row>> => pageFrom(await batch(db, statements))

/** Reads one page, in one round trip. */
export const readPage = async <Row>(
  db: CentralDatabase,
  request: PageRequest,
  total: SQL,
  read: Read<Row>,
): Promise<Page<Row>> => pageFrom(await batch(db, pageStatements(db, request, total, read)))

/**
 * Reads one page of what a search found, in one round trip. Its matches are read to be counted, so no end is nearer.
 * @param total the statement that counts the matches, as `{total}`
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
