// What every view needs of the store: its data, the words of its language, and how it writes prices and dates.
import type { Locale, Sentence } from "../core/i18n/locale"
import { canonicalLocale, direction, languageOf, longDate, money } from "../lib/intl"
import type { Shop } from "./data"
import { languageIn, type Words, words } from "./text/strings"

export type View = {
  shop: Shop
  words: Words
  locale: string
  dir: "ltr" | "rtl"
  /** A sentence of a part of the storefront, in the language of the interface. */
  say: (sentence: Sentence) => string
  price: (units: number, currency: string) => string
  date: (day: Date) => string
}

/** @param shop the store a page is rendered for */
export function viewOf(shop: Shop): View {
  const locale = canonicalLocale(shop.locale)
  const language: Locale = languageIn(languageOf(locale))
  return {
    shop,
    locale,
    words: words[language],
    dir: direction(locale),
    say: (sentence) => sentence[language],
    price: (units, currency) => money(units, currency, locale),
    date: (day) => longDate(day, locale),
  }
}
