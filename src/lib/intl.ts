// Prices, dates and direction of writing in a locale; whatever the text of a currency or a tag is, something readable comes out.
// `Intl` objects are costly to make and cheap to use, so each is made once an isolate.
import { memo } from "./memo"

const RIGHT_TO_LEFT = new Set(["ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"])

/**
 * @param tag a BCP 47 tag, perhaps with underscores, perhaps nonsense
 * @returns the canonical tag; `en` when it is none
 */
export const canonicalLocale = memo((tag: string): string => {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll("_", "-"))[0] ?? "en"
  } catch {
    return "en"
  }
})

/** @param locale canonical tag */
export const languageOf = memo((locale: string): string => new Intl.Locale(locale).language)

/** @param locale canonical tag */
export function direction(locale: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(languageOf(locale)) ? "rtl" : "ltr"
}

/**
 * @param units amount in the currency's smallest unit
 * @param currency ISO 4217 code; one that is malformed is written after the number
 * @param locale canonical tag
 */
export function money(units: number, currency: string, locale: string): string {
  const digits = fractionDigits(currency)
  if (digits === null) return `${(units / 100).toFixed(2)} ${currency}`.trim()
  return priceFormat(`${locale} ${currency}`).format(units / 10 ** digits)
}

/** @param both a canonical tag, a space, and a currency that is well formed */
const priceFormat = memo((both: string) => {
  const [locale, currency] = both.split(" ")
  return new Intl.NumberFormat(locale, { style: "currency", currency })
})

/**
 * @param units amount in the currency's smallest unit
 * @param currency ISO 4217 code
 * @returns the amount as a plain decimal, for machines
 */
export function decimalAmount(units: number, currency: string): string {
  const digits = fractionDigits(currency) ?? 2
  return (units / 10 ** digits).toFixed(digits)
}

/** Places after the point of a currency's amounts: 2 for EUR, 0 for JPY; null when the code is malformed. */
const fractionDigits = memo((currency: string): number | null => {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return null
  }
})

const dateFormat = memo((locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }))

/**
 * @param date a moment; shown as its day in UTC
 * @param locale canonical tag
 */
export const longDate = (date: Date, locale: string): string => dateFormat(locale).format(date)
