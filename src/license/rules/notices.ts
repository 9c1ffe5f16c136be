// Which events a license's dates bring, and when.
import { DAY, later } from "../../lib/time"

export interface NoticeDates {
  expiresAt: Date | null
  updatesUntil: Date | null
}

export type Notice =
  | { event: "license.expiring"; days: number }
  | { event: "license.expired" }
  | { event: "license.update_support_expired" }

/** Days before the end at which it is announced. */
const ANNOUNCED = [30, 7, 1]

/** Every moment at which something is to be said, in no order. */
function schedule({ expiresAt, updatesUntil }: NoticeDates): { at: Date; notice: Notice }[] {
  const expiry = expiresAt
    ? [
        ...ANNOUNCED.map((days) => ({
          at: later(expiresAt, -days * DAY),
          notice: { event: "license.expiring", days } as const,
        })),
        { at: expiresAt, notice: { event: "license.expired" } as const },
      ]
    : []
  const updates = updatesUntil
    ? [{ at: updatesUntil, notice: { event: "license.update_support_expired" } as const }]
    : []
  return [...expiry, ...updates]
}

/** When something is to be said next, after a moment; null when nothing is. */
export const nextNoticeAt = (dates: NoticeDates, after: Date): Date | null =>
  schedule(dates)
    .map(({ at }) => at)
    .filter((at) => at > after)
    .sort((a, b) => a.getTime() - b.getTime())[0] ?? null

/**
 * What is to be said now. Of several moments of one expiry that have passed, as after an outage, only the last counts: who
 * hears that a license has expired need not hear that it is about to.
 * @param since the earliest moment that was not spoken of yet
 */
export function dueNotices(dates: NoticeDates, since: Date, now: Date): Notice[] {
  const due = schedule(dates).filter(({ at }) => at >= since && at <= now)
  const expiry = due
    .filter(({ notice }) => notice.event !== "license.update_support_expired")
    .sort((a, b) => b.at.getTime() - a.at.getTime())[0]
  const updates = due.find(({ notice }) => notice.event === "license.update_support_expired")
  return [expiry, updates].flatMap((found) => (found ? [found.notice] : []))
}
