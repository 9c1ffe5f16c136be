// Deletes a store's rows and media objects in steps, each small enough for any database size.

import { sql } from "drizzle-orm"
import type { ObjectStore } from "../../core/storage/object-store"
import { writeUnaudited } from "../../core/write/commit"
import type { SiteDatabase } from "../../db/client"
import { keyColumns } from "../../db/site-tables"
import { type Write, writeSql } from "../../db/write"
import { currentMs } from "../../lib/clock"

/** Rows per delete statement and statements per step, so a large site needs no long-running write. */
const ROWS_PER_STATEMENT = 1_000
const STATEMENTS_PER_STEP = 50

/** List-and-delete calls to the bucket per step. */
const PAGES_PER_STEP = 20

/**
 * Deletes the rows of one site, table by table, up to one step's budget.
 * @param tableNames tables to empty; each has a `site_id`
 * @param end time in milliseconds since 1970 after which no further statement starts, because the run is out of time
 * @param wrap returns the batch that a delete statement runs in
 * @returns true when all rows are gone, false when another step is needed
 */
export async function deleteSiteRows(
  db: SiteDatabase,
  site: string,
  tableNames: readonly string[],
  end: number,
  wrap: (write: Write<D1Result>) => readonly Write[] = (write) => [write],
): Promise<boolean> {
  let remaining = STATEMENTS_PER_STEP
  // lint: each chunk of a store, which has too many rows for one statement
  for (const name of tableNames) {
    const table = sql.identifier(name)
    const key = sql.join(keyColumns(name).map(sql.identifier), sql`, `)
    const keys = sql`select ${key} from ${table} where site_id = ${site} limit ${ROWS_PER_STATEMENT}`
    for (let isFull = true; isFull; ) {
      const write = writeSql(sql`delete from ${table} where (${key}) in (${keys}) and +site_id = ${site}`)
      const writes = wrap(write)
      const results = await writeUnaudited({ db }, "audited_elsewhere", writes)
      isFull = (results[writes.indexOf(write)] as D1Result).meta.changes === ROWS_PER_STATEMENT
      // Only full deletes count against the budget: empty tables must not use it up, or every step would start over on
      // them.
      if (isFull && (--remaining === 0 || currentMs() >= end)) return false
    }
  }
  return true
}

/**
 * Deletes the objects under a prefix, up to one step's budget.
 * @param end time in milliseconds since 1970 after which no further page is deleted
 * @returns true when all objects are gone
 */
export async function deleteObjects(bucket: ObjectStore, prefix: string, end: number): Promise<boolean> {
  for (let page = 0; page < PAGES_PER_STEP && currentMs() < end; page++) {
    if (!(await bucket.deletePage(prefix))) return true
  }
  return false
}
