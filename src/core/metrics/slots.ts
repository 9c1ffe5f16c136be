// Addresses the rows of `system_metrics`: slots of five minutes for a day and of an hour for 30 days. The slots are
// used again, so the table has a fixed number of rows.
import { type SQL, sql } from "drizzle-orm"
import { systemMetrics } from "../../db/schema/central/system-metrics"
import { addMs, DAY, HOUR, MINUTE } from "../../lib/time"

/** The row of the latest minute. */
export const LATEST_SLOT = 0

interface Resolution {
  /** Id of the first slot. */
  first: number
  lengthMs: number
  count: number
}

export const FIVE_MINUTES: Resolution = { first: 1, lengthMs: 5 * MINUTE, count: DAY / (5 * MINUTE) }
export const HOURS: Resolution = { first: 1_001, lengthMs: HOUR, count: 30 * 24 }

/** The id and the start of a slot. */
interface Slot {
  id: number
  at: Date
}

/** Returns the slot that contains a time. */
function slotOf({ first, lengthMs, count }: Resolution, now: Date): Slot {
  const number = Math.floor(now.getTime() / lengthMs)
  return { id: first + (number % count), at: new Date(number * lengthMs) }
}

/** Returns the two slots that contain a time. */
export const slotsOf = (now: Date): [Slot, Slot] => [slotOf(FIVE_MINUTES, now), slotOf(HOURS, now)]

/** Returns the slots of five minutes that contain a time and the one before. */
export const recentSlotsOf = (now: Date): [Slot, Slot] => [
  slotOf(FIVE_MINUTES, now),
  slotOf(FIVE_MINUTES, addMs(now, -FIVE_MINUTES.lengthMs)),
]

/** SQL condition in an upsert: the existing row is the same slot of the same time, not an older one. */
export const isSameSlot: SQL = sql`${systemMetrics.at} = excluded.at`
