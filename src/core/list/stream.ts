// Streams all matching rows of a table for exports.
import { and, gt, inArray, lt, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { batch, type CentralDatabase } from "../../db/client"
import { type CreatedSort, orderByCreation } from "./created-sort"

/** Rows scanned per query. */
const SCAN_BATCH_SIZE = 500

/**
 * Streams the rows that match. Memory use is constant, and each query scans a bounded number of rows that meet the
 * indexed condition, however few match.
 * @param id the table's row id, which the rows are ordered by
 * @param indexed the indexed condition, whose index is in the order of `id`; absent for the whole table
 * @param filter the other conditions
 * @param sort newest first by default
 */
export async function* streamRows<Table extends SQLiteTable>(
  db: CentralDatabase,
  table: Table,
  id: SQLiteColumn,
  { indexed, filter, sort }: { indexed?: SQL | undefined; filter?: SQL | undefined; sort?: CreatedSort | undefined },
): AsyncGenerator<Table["$inferSelect"][]> {
  const order = orderByCreation(id, sort)
  const isAscending = sort === "created_at"
  for (let last: number | undefined; ; ) {
    const isAhead = last === undefined ? undefined : isAscending ? gt(id, last) : lt(id, last)
    const ahead = and(indexed, isAhead) ?? sql`true`
    const scanned = sql`(select * from ${table} where ${ahead} order by ${order} limit ${SCAN_BATCH_SIZE}) as ${table}`
    const [rows, [end]] = await batch(db, [
      db
        .select()
        .from(table)
        .where(inArray(id, sql`(select ${id} from ${scanned} where ${filter ?? sql`true`})`))
        .orderBy(order),
      db
        .select({ id: sql<number>`${isAscending ? sql`max(${id})` : sql`min(${id})`}`, count: sql<number>`count(*)` })
        .from(scanned),
    ])
    // lint: the rows of a generic table have its type
    if (rows.length) yield rows as Table["$inferSelect"][]
    if (!end || end.count < SCAN_BATCH_SIZE) return
    last = end.id
  }
}
