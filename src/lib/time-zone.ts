// Converts and formats moments in IANA time zones.
import { memoize } from "./memo"
import { DAY, HOUR, MINUTE, SECOND } from "./time"

const partsFormat = memoize(
  (timeZone: string) =>
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
)

/** Lists the IANA time zones that forms suggest. */
export const listTimeZones = (): string[] => [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])]

/** English dates are written as in Britain: the day before the month. */
const dateLocale = (locale: string): string => (locale === "en" ? "en-GB" : locale)

/** @param both a locale, a space, and a time zone */
const momentFormat = memoize((both: string) => {
  const [locale = "en", timeZone] = both.split(" ")
  return new Intl.DateTimeFormat(dateLocale(locale), {
    timeZone,
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  })
})

const dayFormat = memoize(
  (locale: string) =>
    new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" }),
)

const relativeFormat = memoize((locale: string) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }))

/** The wall-clock time of a moment in a zone, as milliseconds since 1970 of the same time in UTC. */
function toWallTime(moment: Date, timeZone: string): number {
  const parts = partsFormat(timeZone).formatToParts(moment)
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value)
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
}

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/

/**
 * Converts the text of a date-time input, which has no offset, to an ISO 8601 timestamp in UTC. A time that the clocks
 * skip is read as the same time after they went forward.
 * @returns the text unchanged when it is not a local time
 */
export function localToUtc(text: string, timeZone: string): string {
  const wallTime = LOCAL_TIME.test(text) ? Date.parse(`${text}Z`) : Number.NaN
  if (Number.isNaN(wallTime)) return text
  const offsetAt = (time: number) => toWallTime(new Date(time), timeZone) - time
  // The offset at the result may differ from the one at the first guess, close to a change of the clocks.
  const guess = wallTime - offsetAt(wallTime)
  return `${new Date(wallTime - offsetAt(guess)).toISOString().slice(0, 19)}Z`
}

/** The value of a date-time input: the wall-clock time of a moment, without an offset. */
export const toLocalInput = (moment: Date, timeZone: string): string =>
  new Date(toWallTime(moment, timeZone)).toISOString().slice(0, 16)

/** A moment in a zone, whose name it contains: "1 Mar 2026, 09:00 GMT+1". */
export const formatMoment = (moment: Date, timeZone: string, locale = "en"): string =>
  momentFormat(`${locale} ${timeZone}`).format(moment)

/** A calendar day, which is the same everywhere. */
export const formatDay = (day: Date, locale = "en"): string => dayFormat(dateLocale(locale)).format(day)

const monthFormat = memoize((locale: string) => new Intl.DateTimeFormat(locale, { timeZone: "UTC", month: "short" }))

const monthAndYearFormat = memoize(
  (locale: string) => new Intl.DateTimeFormat(locale, { timeZone: "UTC", month: "short", year: "numeric" }),
)

/** A calendar month in short form, with its year unless it is of the current year: "Jul", "Jan 2027". */
export function formatMonth(month: Date, now: Date, locale = "en"): string {
  const format = month.getUTCFullYear() === now.getUTCFullYear() ? monthFormat : monthAndYearFormat
  return format(dateLocale(locale)).format(month)
}

/** Whether a moment is a calendar day: midnight in UTC, as dates are stored. */
export const isDay = (moment: Date): boolean => moment.getTime() % DAY === 0

const UNITS = [
  ["hour", HOUR],
  ["minute", MINUTE],
  ["second", SECOND],
] as const

/** Formats the distance to a moment, such as "5 minutes ago"; null for more than a day. */
export function formatRelative(moment: Date, now: Date, locale = "en"): string | null {
  const ms = moment.getTime() - now.getTime()
  if (Math.abs(ms) >= DAY) return null
  const [unit, length] = UNITS.find(([, length]) => Math.abs(ms) >= length) ?? UNITS[2]
  return relativeFormat(locale).format(Math.trunc(ms / length), unit)
}
