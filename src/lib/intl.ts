// Formats prices and dates for a locale. Invalid currencies and language tags still produce readable text.
// `Intl` objects are expensive to create, so each is cached per isolate.
import { memoize } from "./memo"

const RIGHT_TO_LEFT = new Set(["ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"])

/**
 * Normalizes a language tag.
 * @param tag a BCP 47 tag, possibly with underscores, possibly invalid
 * @returns the canonical tag; `en` when it is invalid
 */
export const canonicalLocale = memoize((tag: string): string => {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll("_", "-"))[0] ?? "en"
  } catch {
    return "en"
  }
})

/** @param locale canonical tag */
export const languageOf = memoize((locale: string): string => new Intl.Locale(locale).language)

/** @param locale canonical tag */
export function direction(locale: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(languageOf(locale)) ? "rtl" : "ltr"
}

/**
 * Returns the label of a value with its colon, which French separates with a space.
 * @param locale canonical tag
 */
export const withColon = (label: string, locale: string): string =>
  languageOf(locale) === "fr" ? `${label}\u00a0:` : `${label}:`

/**
 * Formats a price.
 * @param units amount in the currency's smallest unit
 * @param currency ISO 4217 code; an invalid one is written after the number
 * @param locale canonical tag
 */
export function money(units: number, currency: string, locale: string): string {
  const digits = fractionDigits(currency)
  if (digits === null) return `${(units / 100).toFixed(2)} ${currency}`.trim()
  return priceFormat(`${locale} ${currency}`).format(units / 10 ** digits)
}

/** @param both a canonical tag, a space, and a valid currency */
const priceFormat = memoize((both: string) => {
  const [locale, currency] = both.split(" ")
  return new Intl.NumberFormat(locale, { style: "currency", currency })
})

/**
 * @param units amount in the currency's smallest unit
 * @param currency ISO 4217 code
 * @returns the amount as a plain decimal number
 */
export function decimalAmount(units: number, currency: string): string {
  const digits = fractionDigits(currency) ?? 2
  return (units / 10 ** digits).toFixed(digits)
}

/**
 * Parses an amount in units of a currency, the reverse of `decimalAmount`.
 * @param amount digits with a decimal point or comma, such as `29.00`
 * @returns the amount in the currency's smallest unit; null for any other text, or with more decimals than the currency
 */
export function parseAmount(amount: string, currency: string): number | null {
  const [, units, decimals = ""] = /^(\d{1,9})(?:[.,](\d{1,3}))?$/.exec(amount) ?? []
  const digits = fractionDigits(currency) ?? 2
  return units === undefined || decimals.length > digits ? null : Number(`${units}${decimals.padEnd(digits, "0")}`)
}

/** Lists the ISO 4217 codes that forms suggest. */
export const listCurrencies = (): string[] => Intl.supportedValuesOf("currency")

/** Fraction digits of a currency: 2 for EUR, 0 for JPY; null when the code is invalid. */
export const fractionDigits = memoize((currency: string): number | null => {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return null
  }
})

/** @param key a locale, a space, and a unit */
const unitFormat = memoize((key: string) => {
  const [locale, unit] = key.split(" ")
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" })
})

/**
 * Formats a length of time: "1 month".
 * @param locale canonical tag
 */
export const unitOfTime = (count: number, unit: "month" | "year", locale: string): string =>
  unitFormat(`${locale} ${unit}`).format(count)

/** The units of sizes, in steps of a thousand. */
const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB"] as const

/**
 * Returns the symbol of a unit of sizes. French counts octets.
 * @param locale canonical tag
 */
const byteUnit = (unit: (typeof BYTE_UNITS)[number], locale: string): string =>
  languageOf(locale) === "fr" ? unit.replace("B", "o") : unit

const sizeFormat = memoize((locale: string) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }))

/**
 * Formats a size in decimal units: 1500 becomes 1.5 KB.
 * @param locale canonical tag
 */
export function size(bytes: number, locale: string): string {
  let unit = 0
  let rest = bytes
  for (; rest >= 1000 && unit < BYTE_UNITS.length - 1; unit++) rest /= 1000
  return `${unit === 0 ? rest : sizeFormat(locale).format(rest)} ${byteUnit(BYTE_UNITS[unit] ?? "B", locale)}`
}

/**
 * Formats a storage limit of a plan, or storage that is compared with one.
 * @param locale canonical tag
 */
export const storageSize = (megabytes: number, locale: string): string =>
  size(Math.round(megabytes * 1_000_000), locale)

const dateFormat = memoize((locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }))

const dateTimeFormat = memoize(
  (locale: string) =>
    new Intl.DateTimeFormat(locale, {
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      timeZone: "UTC",
      timeZoneName: "short",
    }),
)

/**
 * Formats a moment in UTC, and names the zone.
 * @param locale canonical tag
 */
export const utcDateTime = (date: Date, locale: string): string => dateTimeFormat(locale).format(date)

/**
 * Formats a date in long form.
 * @param date shown as its day in UTC
 * @param locale canonical tag
 */
export const longDate = (date: Date, locale: string): string => dateFormat(locale).format(date)
