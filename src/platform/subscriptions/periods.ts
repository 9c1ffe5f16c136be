// Calculates the ends of billing periods. Pure calendar arithmetic in UTC.
import { addMs, DAY } from "../../lib/time"

export type Interval = "month" | "year"

/** Months of an interval. */
export const MONTHS: Record<Interval, number> = { month: 1, year: 12 }

/**
 * Returns the end of a billing period that starts at `from`.
 * @returns one month or one year later; 31 January plus a month is 28 or 29 February
 */
export const getPeriodEnd = (interval: Interval, from: Date): Date => addMonths(from, MONTHS[interval])

/** Returns the same day some months later, or that month's last day if it is shorter. */
export function addMonths(from: Date, months: number): Date {
  const end = new Date(from)
  const day = end.getUTCDate()
  end.setUTCDate(1)
  end.setUTCMonth(end.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()
  end.setUTCDate(Math.min(day, lastDay))
  return end
}

/** Postpones an end by some days, counted from the end if it is in the future, else from now. */
export const postponeEnd = (end: Date | null, days: number, now: Date): Date =>
  addMs(end && end > now ? end : now, days * DAY)
