// What a deleted store left in its site database and in its bucket, taken away in steps that any database bears.
import { sql } from "drizzle-orm"
import { writeUnaudited } from "../../core/write/commit"
import type { SiteDatabase } from "../../db/client"
import { keyColumns } from "../../db/site-tables"
import { type Write, writeSql } from "../../db/write"
import { MINUTE } from "../../lib/time"

/** Rows a statement deletes, and statements a step: a site of any size goes without one long write. */
const CHUNK = 1_000
const CHUNKS_A_STEP = 50

/** Milliseconds after which a step begins nothing more: it ends well within its job's lease, while the site's id is still its own. */
const STEP_TIME = MINUTE / 2

/** Objects that one call to the bucket lists and deletes, and calls a step. */
const OBJECTS = 1_000
const PAGES_A_STEP = 20

/**
 * Deletes rows of one site, table by table.
 * @param names of the tables, each of which has a `site_id`
 * @param within the batch that each statement runs in
 * @returns whether all are gone; false when there is more than one step takes
 */
export async function deleteSiteRows(
  db: SiteDatabase,
  site: string,
  names: readonly string[],
  within: (write: Write<D1Result>) => readonly Write[] = (write) => [write],
): Promise<boolean> {
  const end = Date.now() + STEP_TIME
  let left = CHUNKS_A_STEP
  for (const name of names) {
    const table = sql.identifier(name)
    const key = sql.join(keyColumns(name).map(sql.identifier), sql`, `)
    const some = sql`select ${key} from ${table} where site_id = ${site} limit ${CHUNK}`
    for (let isFull = true; isFull; ) {
      const write = writeSql(sql`delete from ${table} where (${key}) in (${some})`)
      const writes = within(write)
      const answers = await writeUnaudited({ db }, "rows that a store left behind", writes)
      isFull = (answers[writes.indexOf(write)] as D1Result).meta.changes === CHUNK
      // Only what deletes counts: a step that looked at empty tables alone would begin with them again for ever.
      if (isFull && (--left === 0 || Date.now() >= end)) return false
    }
  }
  return true
}

/**
 * Deletes objects under a prefix.
 * @returns whether all are gone
 */
export async function deleteObjects(bucket: R2Bucket, prefix: string): Promise<boolean> {
  const end = Date.now() + STEP_TIME
  for (let page = 0; page < PAGES_A_STEP && Date.now() < end; page++) {
    const { objects } = await bucket.list({ prefix, limit: OBJECTS })
    if (!objects.length) return true
    await bucket.delete(objects.map((object) => object.key))
  }
  return false
}
