// Formats timestamps for the APIs and defines common durations in milliseconds.

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/**
 * Formats a timestamp as ISO 8601 with an offset and whole seconds (`2026-09-02T10:15:00+00:00`).
 * @param moment the time, or null
 * @returns the text, or null for null
 */
export function formatTimestamp(moment: Date): string
export function formatTimestamp(moment: Date | null | undefined): string | null
export function formatTimestamp(moment: Date | null | undefined): string | null {
  return moment ? `${moment.toISOString().slice(0, 19)}+00:00` : null
}

/** Whether a moment is valid and in the years 1 to 9999 (UTC): timestamps have four digits for the year (RFC 3339). */
export function hasFourDigitYear(moment: Date): boolean {
  const year = moment.getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** Returns the time `ms` milliseconds after `from`. */
export const addMs = (from: Date, ms: number): Date => new Date(from.getTime() + ms)

/** Returns the calendar day in UTC, such as `2026-09-02`, for inputs, file names and URLs. */
export const isoDay = (moment: Date): string => moment.toISOString().slice(0, 10)

/** Returns the calendar month in UTC, such as `2026-09`. */
export const yearMonth = (moment: Date): string => moment.toISOString().slice(0, 7)
