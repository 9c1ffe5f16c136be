// What is counted at a site, and how: one line each.
import { and, count, eq, inArray, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { Read, SiteDatabase } from "../../db/client"
import { siteCounters } from "../../db/schema/sites/counters"
import { users } from "../../db/schema/sites/users"
import type { Counts } from "./rules"

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

export const COUNTERS: Record<keyof Counts, Counter> = {
  products: (db, scope) => kept(db, scope, "products"),
  orders: (db, scope) => kept(db, scope, "orders", scope.period),
  storageBytes: (db, scope) => kept(db, scope, "media_bytes"),
  staffUsers: (db, scope) =>
    db
      .select({ site: users.siteId, total: count() })
      .from(users)
      .where(and(among(users.siteId, scope), eq(users.isStaff, true)))
      .groupBy(users.siteId),
}

/** A total that triggers keep. */
const kept = (db: SiteDatabase, scope: Scope, list: string, filter = ""): Read<Counted[]> =>
  db
    .select({ site: siteCounters.siteId, total: siteCounters.total })
    .from(siteCounters)
    .where(and(among(siteCounters.siteId, scope), eq(siteCounters.list, list), eq(siteCounters.filter, filter)))

const among = (column: SQLiteColumn, { sites }: Scope): SQL =>
  inArray(column, sql`(select value from json_each(${JSON.stringify(sites)}))`)
