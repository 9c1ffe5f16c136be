// Computes fingerprints of stores, to tell whether a store has changed since its last backup.
import { sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { batch, siteDatabase } from "../../db/client"
import { auditEntries, isAboutStore } from "../../db/schema/central/audit"
import { stores } from "../../db/schema/central/stores"
import { siteCounters } from "../../db/schema/sites/counters"
import { acrossSites } from "../../db/site-scope"

/**
 * Computes the fingerprints of stores in one site database: the version of the store's row and of its content, the sum
 * of all totals of its lists, and its latest audit entry. Some changes by a site's users move none of them, such as a
 * new phone number.
 * @param ids of existing stores
 * @returns fingerprints by store id
 */
export async function computeFingerprints(
  ctx: Ctx,
  database: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const list = JSON.stringify(ids)
  const isListed = (column: { getSQL(): unknown }) => sql`${column} in (select value from json_each(${list}))`
  const sites = siteDatabase(ctx.env, database, acrossSites("backup_changes"))
  const [[central], [totals]] = await Promise.all([
    batch(ctx.db, [
      ctx.db
        .select({
          id: stores.id,
          version: stores.version,
          entry: sql<
            number | null
          >`(select max(${auditEntries.id}) from ${auditEntries} where ${isAboutStore(sql`stores.id`)})`,
        })
        .from(stores)
        .where(isListed(stores.id)),
    ]),
    batch(sites, [
      sites
        .select({
          id: siteCounters.siteId,
          content: sql<number>`sum(iif(${siteCounters.list} = 'version', ${siteCounters.total}, 0))`,
          sum: sql<number>`sum(${siteCounters.total})`,
        })
        .from(siteCounters)
        .where(isListed(siteCounters.siteId))
        .groupBy(siteCounters.siteId),
    ]),
  ])
  const bySite = new Map(totals.map((row) => [row.id, `${row.content}.${row.sum}`]))
  return new Map(central.map(({ id, version, entry }) => [id, `${version}.${entry ?? 0}.${bySite.get(id) ?? "0.0"}`]))
}
