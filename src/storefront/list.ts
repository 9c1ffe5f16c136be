// A page of a list on the storefront: its rows, the newest first, and its place among the others.
import { type SQL, sql } from "drizzle-orm"
import { countedAt } from "../core/site-totals"
import type { SiteDatabase } from "../db/client"
import { type CompiledRead, compiled, given, type Query } from "../db/compiled"
import type { SiteCounter } from "../db/schema/sites/counters"
import type { Pagination } from "./data"
import type { Page, Place, Reading } from "./part"

const PER_PAGE = 12

/** How much of a list a statement reads, and from which end. */
export interface Slice {
  limit: number
  offset: number
  backward: boolean
}

/** Drizzle takes SQL for a limit and an offset, though its types name numbers and placeholders only. */
const slice = (limit: SQL, offset: SQL, backward: boolean) => ({ limit, offset, backward }) as unknown as Slice

interface Total {
  total: number
}

const total = (counter: SiteCounter): SQL => countedAt(given("site"), counter, "published")

const start = sql`cast(${given("start")} as integer)`

/** The read of how many things of a kind a site has published. */
export const countPublished = (counter: SiteCounter): ((values: { site: string }) => CompiledRead<Total>) =>
  compiled((db) => db.select({ total: total(counter).mapWith(Number).as("total") }).from(sql`(select 1)`))

/**
 * The reads of a list's pages.
 * @param counter the list's total, as triggers keep it
 * @param select the statement for a slice of what the site `given("site")` has published
 * @param write the page
 * @returns a reading that finds nothing past the end; of an empty list there is a first page
 */
export function listOf<Row>(
  counter: SiteCounter,
  select: (db: SiteDatabase, slice: Slice) => Query<Row>,
  write: (rows: Row[], pagination: Pagination) => Page,
): (place: Place, page: number) => Reading<Page> {
  const count = countPublished(counter)
  const rest = sql`max(0, ${total(counter)} - ${start})`
  const near = sql`${start} * 2 <= ${total(counter)}`
  const first = compiled<Row, { site: string }>((db) => select(db, { limit: PER_PAGE, offset: 0, backward: false }))
  // Which end of the list is nearer is known to the database only: a deep page is asked for from both, and one answers nothing.
  const forward = compiled<Row, { site: string; start: number }>((db) =>
    select(db, slice(sql`(case when ${near} then ${PER_PAGE} else 0 end)`, sql`(${start})`, false)),
  )
  const backward = compiled<Row, { site: string; start: number }>((db) =>
    select(
      db,
      slice(
        sql`(case when ${near} then 0 else min(${PER_PAGE}, ${rest}) end)`,
        sql`(max(0, ${total(counter)} - ${start} - ${PER_PAGE}))`,
        true,
      ),
    ),
  )
  return ({ siteId: site }, page) => {
    const values = { site, start: (page - 1) * PER_PAGE }
    return {
      reads: [count(values), ...(page === 1 ? [first(values)] : [forward(values), backward(values)])],
      found([counts, near, far = []]) {
        const lastPage = Math.max(1, Math.ceil(((counts as Total[])[0]?.total ?? 0) / PER_PAGE))
        if (page > lastPage) return null
        const rows = (near?.length ? near : far.toReversed()) as Row[]
        return write(rows, { page, lastPage })
      },
    }
  }
}
