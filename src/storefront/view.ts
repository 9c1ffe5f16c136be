// What every view needs of the store: its data, the words of its language, and how it writes prices and dates.

import { canonicalLocale, direction, languageOf, longDate, money } from "../lib/written"
import type { Shop } from "./data"
import { type Words, wordsIn } from "./text/words"

export type View = {
  shop: Shop
  words: Words
  locale: string
  dir: "ltr" | "rtl"
  has: (app: string) => boolean
  price: (units: number, currency: string) => string
  date: (day: Date) => string
}

/** @param shop the store a page is rendered for */
export function viewOf(shop: Shop): View {
  const locale = canonicalLocale(shop.locale)
  return {
    shop,
    locale,
    words: wordsIn(languageOf(locale)),
    dir: direction(locale),
    has: (app) => shop.apps.includes(app),
    price: (units, currency) => money(units, currency, locale),
    date: (day) => longDate(day, locale),
  }
}
