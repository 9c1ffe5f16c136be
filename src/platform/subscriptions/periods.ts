// When billing periods end. Pure calendar arithmetic, in UTC.
import { DAY, later } from "../../lib/time"

export type Interval = "month" | "year"

/**
 * The end of a billing period that starts at `from`; the day of the month is kept where the month has it.
 * @returns a month or a year later: 31 January and a month is 28 or 29 February
 */
export function periodEnd(interval: Interval, from: Date): Date {
  const months = interval === "year" ? 12 : 1
  const end = new Date(from)
  const day = end.getUTCDate()
  end.setUTCDate(1)
  end.setUTCMonth(end.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()
  end.setUTCDate(Math.min(day, lastDay))
  return end
}

/** An end put off by some days, counted from itself where it is ahead, else from now. */
export const putOff = (end: Date | null, days: number, now: Date): Date =>
  later(end && end > now ? end : now, days * DAY)
