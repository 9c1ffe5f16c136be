// Counts each kind of usage in a site database.
import { and, count, eq, inArray, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { availableApps } from "../../apps/registry"
import type { Read, SiteDatabase } from "../../db/client"
import { type SiteCounter, siteCounters } from "../../db/schema/sites/counters"
import { users } from "../../db/schema/sites/users"

/** The counted sites, and the calendar month of monthly counters. */
interface Scope {
  sites: string[]
  /** `2026-09`. */
  period: string
}

type Counter = (db: SiteDatabase, scope: Scope) => Read<SiteCount[]>

/** A counter's result; sites with a count of 0 may be missing. */
interface SiteCount {
  site: string
  total: number
}

/** Lists the counters with their names in the API. */
export const listCounters = (): [name: string, Counter][] => [
  ...availableApps
    .flatMap(({ usage = {} }) => Object.entries(usage))
    .map(([name, { counter, monthly, excludes }]): [string, Counter] => [
      name,
      (db, scope) => selectCounter(db, scope, counter, { filter: monthly ? scope.period : "", excludes }),
    ]),
  ["storage_bytes", (db, scope) => selectCounter(db, scope, "media_bytes")],
  [
    "staff_users",
    (db, scope) =>
      db
        .select({ site: users.siteId, total: count() })
        .from(users)
        .where(and(isSiteIn(users.siteId, scope), eq(users.isStaff, true)))
        .groupBy(users.siteId),
  ],
]

/** The number of rows of a counted table that have a flag. */
const countFlagged = (list: SiteCounter, flag: string): SQL =>
  sql`(select count(*) from ${sql.identifier(list)} as flagged
    where flagged.site_id = ${siteCounters.siteId} and flagged.${sql.identifier(flag)} = 1)`

/** Selects a total that database triggers maintain, without the rows that have a flag. */
const selectCounter = (
  db: SiteDatabase,
  scope: Scope,
  list: SiteCounter,
  { filter = "", excludes }: { filter?: string; excludes?: string | undefined } = {},
): Read<SiteCount[]> =>
  db
    .select({
      site: siteCounters.siteId,
      total: excludes
        ? sql<number>`max(0, ${siteCounters.total} - ${countFlagged(list, excludes)})`.as("total")
        : siteCounters.total,
    })
    .from(siteCounters)
    .where(and(isSiteIn(siteCounters.siteId, scope), eq(siteCounters.list, list), eq(siteCounters.filter, filter)))

const isSiteIn = (column: SQLiteColumn, { sites }: Scope): SQL =>
  inArray(column, sql`(select value from json_each(${JSON.stringify(sites)}))`)
