// Streams all matching rows of a table for exports, newest first.
import { and, desc, inArray, lt, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { batch, type CentralDatabase } from "../../db/client"

/** Rows scanned per query. */
const SCAN_BATCH_SIZE = 500

/**
 * Streams the rows that match. Memory use is constant, and each query scans a bounded number of rows of the leading
 * condition, however few match.
 * @param id the table's row id, which the rows are ordered by
 * @param lead the indexed condition, whose index is in the order of `id`; absent for the whole table
 * @param also the other conditions
 */
export async function* streamRows<Table extends SQLiteTable>(
  db: CentralDatabase,
  table: Table,
  id: SQLiteColumn,
  { lead, also }: { lead?: SQL | undefined; also?: SQL | undefined },
): AsyncGenerator<Table["$inferSelect"][]> {
  for (let last: number | undefined; ; ) {
    const ahead = and(lead, last === undefined ? undefined : lt(id, last)) ?? sql`true`
    const scanned = sql`(select * from ${table} where ${ahead} order by ${desc(id)} limit ${SCAN_BATCH_SIZE}) as ${table}`
    const [rows, [end]] = await batch(db, [
      db
        .select()
        .from(table)
        .where(inArray(id, sql`(select ${id} from ${scanned} where ${also ?? sql`true`})`))
        .orderBy(desc(id)),
      db.select({ id: sql<number>`min(${id})`, count: sql<number>`count(*)` }).from(scanned),
    ])
    // lint: the rows of a generic table have its type
    if (rows.length) yield rows as Table["$inferSelect"][]
    if (!end || end.count < SCAN_BATCH_SIZE) return
    last = end.id
  }
}
