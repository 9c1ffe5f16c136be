// Schedules the events for license expiry and the end of update periods.
import { addMs, DAY } from "../../lib/time"

export interface NoticeDates {
  expiresAt: Date | null
  updatesUntil: Date | null
}

export type Notice =
  | { event: "license.expiring"; days: number }
  | { event: "license.expired" }
  | { event: "license.update_support_expired" }

/** Days before expiry. */
const EXPIRY_NOTICE_DAYS = [30, 7, 1]

/** Builds the schedule of all notices, unsorted. */
function buildSchedule({ expiresAt, updatesUntil }: NoticeDates): { at: Date; notice: Notice }[] {
  const expiry = expiresAt
    ? [
        ...EXPIRY_NOTICE_DAYS.map((days) => ({
          at: addMs(expiresAt, -days * DAY),
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

/** Returns the time of the next notice after `after`; null when there is none. */
export const getNextNoticeAt = (dates: NoticeDates, after: Date): Date | null =>
  buildSchedule(dates)
    .map(({ at }) => at)
    .filter((at) => at > after)
    .sort((a, b) => a.getTime() - b.getTime())[0] ?? null

/**
 * Returns the notices to send now. If several expiry notices are overdue, for example after an outage, only the latest
 * is sent: "expiring" is pointless after "expired".
 * @param since time of the earliest notice that was not sent yet
 */
export function getDueNotices(dates: NoticeDates, since: Date, now: Date): Notice[] {
  const due = buildSchedule(dates).filter(({ at }) => at >= since && at <= now)
  const expiry = due
    .filter(({ notice }) => notice.event !== "license.update_support_expired")
    .sort((a, b) => b.at.getTime() - a.at.getTime())[0]
  const updates = due.find(({ notice }) => notice.event === "license.update_support_expired")
  return [expiry, updates].flatMap((found) => (found ? [found.notice] : []))
}
