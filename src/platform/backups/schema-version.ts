// Reads the names of the last migrations of the databases.
import { sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { siteDatabase } from "../../db/client"
import type { Manifest } from "./manifest"

/** Reads the last migrations of the central and of a site database; null where Wrangler did not record them. */
export async function readSchemaVersions(ctx: Ctx, database: string, storeId: string): Promise<Manifest["schema"]> {
  const sites = siteDatabase(ctx.env, database, storeId)
  const [[isCentralRecorded], [isSiteRecorded]] = await Promise.all([
    ctx.db.select(ONE).from(MIGRATIONS_TABLE),
    sites.select(ONE).from(MIGRATIONS_TABLE),
  ])
  const [[central], [site]] = await Promise.all([
    isCentralRecorded ? ctx.db.select(NAME).from(LAST_MIGRATION) : [],
    isSiteRecorded ? sites.select(NAME).from(LAST_MIGRATION) : [],
  ])
  return { central: central?.name ?? null, sites: site?.name ?? null }
}

const ONE = { one: sql<number>`1` }
const NAME = { name: sql<string>`name` }
const MIGRATIONS_TABLE = sql`sqlite_master where type = 'table' and name = 'd1_migrations'`
const LAST_MIGRATION = sql`d1_migrations order by id desc limit 1`
