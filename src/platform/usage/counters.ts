// What is counted at a site, and how: one line each.
import { and, count, eq, inArray, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { plugins } from "../../apps/registry"
import type { Read, SiteDatabase } from "../../db/client"
import { type SiteCounter, siteCounters } from "../../db/schema/sites/counters"
import { users } from "../../db/schema/sites/users"

/** Which sites are counted, and of which calendar month what belongs to a month. */
interface Scope {
  sites: string[]
  /** `2026-09`. */
  period: string
}

type Counter = (db: SiteDatabase, scope: Scope) => Read<Counted[]>

/** A counter's answer; a site that is missing has none. */
interface Counted {
  site: string
  total: number
}

/** How everything is counted, by its name in the API. */
export const counters = (): [name: string, Counter][] => [
  ...plugins
    .flatMap(({ usage = {} }) => Object.entries(usage))
    .map(([name, { counter, monthly }]): [string, Counter] => [
      name,
      (db, scope) => kept(db, scope, counter, monthly ? scope.period : ""),
    ]),
  ["storage_bytes", (db, scope) => kept(db, scope, "media_bytes")],
  [
    "staff_users",
    (db, scope) =>
      db
        .select({ site: users.siteId, total: count() })
        .from(users)
        .where(and(among(users.siteId, scope), eq(users.isStaff, true)))
        .groupBy(users.siteId),
  ],
]

/** A total that triggers keep. */
const kept = (db: SiteDatabase, scope: Scope, list: SiteCounter, filter = ""): Read<Counted[]> =>
  db
    .select({ site: siteCounters.siteId, total: siteCounters.total })
    .from(siteCounters)
    .where(and(among(siteCounters.siteId, scope), eq(siteCounters.list, list), eq(siteCounters.filter, filter)))

const among = (column: SQLiteColumn, { sites }: Scope): SQL =>
  inArray(column, sql`(select value from json_each(${JSON.stringify(sites)}))`)
