// Updates the totals of deliveries once for a group of them. Otherwise, triggers update them once per delivery.
import { sql } from "drizzle-orm"
import { type Write, writeSql } from "../../db/write"

/** Rows that pausing the triggers writes: as many as two of them. */
const PAUSE_ROWS = 2

/** The row of `counters` that pauses the triggers on `webhook_deliveries`. It never outlives its transaction. */
const pause = writeSql(sql`insert into counters (list, filter, total) values ('webhook_totals', 'paused', 1)`)
const resume = writeSql(sql`delete from counters where list = 'webhook_totals' and filter = 'paused'`)

/** Adds the writes that pause the triggers, for deliveries whose totals are written elsewhere. */
export const withoutTotals = (writes: readonly Write[]): Write[] => [pause, ...writes, resume]

/**
 * Builds the writes around a write of deliveries that update their totals, if that costs fewer rows than the triggers.
 * @param deliveries the total that each delivery belongs to
 * @param count updates the totals. It runs before the deliveries are written
 */
export function groupTotals(
  deliveries: readonly { endpoint: number; event: string }[],
  count: Write,
): { before: Write[]; after: Write[] } {
  const totals = new Set(deliveries.map(({ endpoint, event }) => `${endpoint} ${event}`))
  return deliveries.length > totals.size + PAUSE_ROWS
    ? { before: [pause, count], after: [resume] }
    : { before: [], after: [] }
}
