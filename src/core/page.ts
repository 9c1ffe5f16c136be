// Pages of a list: the newest first, with a total that nobody has to count, in one round trip. A deep page is read from
// whichever end of the list is nearer.
import { and, eq, type SQL, sql } from "drizzle-orm"
import { batch, type CentralDatabase, type Read as Select } from "../db/client"
import { type CountedList, type CountedRowList, counters } from "../db/schema/central/counters"

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
export const counted = (list: CountedList | RowList, filter: string | SQL = ""): SQL =>
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

type Read<Row> = (slice: Slice, direction: "forward" | "backward") => Select<Row[]>

type PageStatements<Row> = [Select<{ total: number }[]>, Select<Row[]>, Select<Row[]>]

/**
 * The statements that read one page, for a batch of the caller's; `pageFrom` reads their answers.
 * @param total an expression for the list's length
 * @param read the statement for a slice of the list, in its order or in the reverse
 */
export function pageStatements<Row>(
  db: CentralDatabase,
  { page, per_page }: PageRequest,
  total: SQL,
  read: Read<Row>,
): PageStatements<Row> {
  const start = (page - 1) * per_page
  const count = sql`min(${per_page}, max(0, ${total} - ${start}))`
  // Which end is nearer is known to the database only, so both statements go and one of them reads nothing.
  const near = sql`${start} * 2 <= ${total}`
  const slice = (limit: SQL, offset: SQL) => ({ limit, offset }) as unknown as Slice
  return [
    db.select({ total: sql<number>`${total}` }).from(sql`(select 1)`),
    read(slice(sql`(case when ${near} then ${per_page} else 0 end)`, sql`(${start})`), "forward"),
    read(
      slice(sql`(case when ${near} then 0 else ${count} end)`, sql`(max(0, ${total} - ${start} - ${per_page}))`),
      "backward",
    ),
  ]
}

/** The page in the answers of `pageStatements`. */
export function pageFrom<Row>([counts, forward, backward]: [{ total: number }[], Row[], Row[]]): Page<Row> {
  return { rows: forward.length ? forward : backward.reverse(), total: counts[0]?.total ?? 0 }
}

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
