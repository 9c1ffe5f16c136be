// Moments as the three APIs write them, and the few spans the code speaks of.

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/**
 * A moment on the wire: ISO 8601 with an offset, whole seconds (`2026-09-02T10:15:00+00:00`).
 * @param moment the moment, or null
 * @returns the text, or null for null
 */
export function timestamp(moment: Date): string
export function timestamp(moment: Date | null | undefined): string | null
export function timestamp(moment: Date | null | undefined): string | null {
  return moment ? `${moment.toISOString().slice(0, 19)}+00:00` : null
}

/** The moment `ms` milliseconds after `from`. */
export const later = (from: Date, ms: number): Date => new Date(from.getTime() + ms)

/** The calendar month of a moment in UTC, `2026-09`. */
export const yearMonth = (moment: Date): string => moment.toISOString().slice(0, 7)
