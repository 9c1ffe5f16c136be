// Rendering context of a page: the store's data, its interface strings, and its formatting of prices.
import type { Locale, Translations } from "../core/i18n/locale"
import { canonicalLocale, direction, languageOf, money } from "../lib/intl"
import type { Shop } from "./data"
import { type StorefrontStrings, strings, toSupportedLocale } from "./text/strings"

export type View = {
  shop: Shop
  strings: StorefrontStrings
  locale: string
  /** The interface language. */
  language: Locale
  dir: "ltr" | "rtl"
  /** Picks the interface language of a localized string. */
  translate: (sentence: Translations) => string
  formatPrice: (units: number, currency: string) => string
}

/** @param shop the store a page is rendered for */
export function createView(shop: Shop): View {
  const locale = canonicalLocale(shop.locale)
  const language: Locale = toSupportedLocale(languageOf(locale))
  return {
    shop,
    locale,
    language,
    strings: strings[language],
    dir: direction(locale),
    translate: (sentence) => sentence[language],
    formatPrice: (units, currency) => money(units, currency, locale),
  }
}
