// Finds an entry of the audit log by its time. Entries have no index by time: it would cost every change a row, and ids
// are in the order of time already, except that the entries of site databases follow when they are forwarded.
import { type SQL, sql } from "drizzle-orm"
import { MINUTE } from "../../lib/time"

/** By how much an entry's time may differ from those of its neighbours, in milliseconds. */
const MAX_DELAY_MS = 10 * MINUTE

/**
 * Entries scanned per search. A log of fewer is scanned whole: its times may be in any order (demo data, test clocks).
 */
export const MAX_SCANNED_ENTRIES = 5_000

/**
 * Builds the condition for an id that may belong to an entry since a time. The caller also compares the entry's time.
 * @param id an id of an audit entry
 */
export const mayBeSince = (id: SQL, time: Date): SQL => sql`${id} >= ${firstId(time.getTime() - MAX_DELAY_MS, 0)}`

/**
 * Builds the condition for an id that may belong to an entry before a time. The caller also compares the entry's time.
 * @param id an id of an audit entry
 */
export const mayBeBefore = (id: SQL, time: Date): SQL =>
  sql`${id} < ${firstId(time.getTime() + MAX_DELAY_MS, Number.MAX_SAFE_INTEGER)}`

/** Finds the first entry that is not older than a time, by binary search. */
function firstId(time: number, inSmallLog: number): SQL {
  const isMiddleOlder = sql`(
    select created_at from audit_entries where id >= (low + high) / 2 order by id limit 1) < ${time}`
  return sql`(
    with recursive search(low, high) as (
      select (select min(id) from audit_entries), (select max(id) from audit_entries) + 1
      union all
      select iif(${isMiddleOlder}, (low + high) / 2 + 1, low), iif(${isMiddleOlder}, high, (low + high) / 2)
        from search where low < high
    )
    select iif(
      (select max(id) from audit_entries) - (select min(id) from audit_entries) < ${MAX_SCANNED_ENTRIES},
      ${inSmallLog},
      (select low from search where low >= high)
    ))`
}
