// What holds for every table of a site database: each row belongs to one site.
import { is, sql } from "drizzle-orm"
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core"
import type { SiteDatabase } from "./client"
import * as schema from "./schema/sites"

const tables = Object.values(schema).filter((value) => is(value, SQLiteTable))

/** The names of the tables of a site database that are no app's. */
export const siteTableNames = (): string[] => tables.map((table) => getTableConfig(table).name)

/** Rows a statement deletes at most: a site of any size goes without one long write. */
const CHUNK = 1000

/**
 * Deletes all rows of one site, table by table, in bounded statements.
 * @param names of the tables, each of which has a `site_id`
 */
export async function deleteSiteRows(db: SiteDatabase, site: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const table = sql.identifier(name)
    for (;;) {
      const { meta } = await db.run(
        sql`delete from ${table} where rowid in (select rowid from ${table} where site_id = ${site} limit ${CHUNK})`,
      )
      if (meta.changes === 0) break
    }
  }
}
