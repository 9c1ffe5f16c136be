// Selects the language of a response and translates messages. Error codes are never translated.

export const LOCALES = ["en", "es", "fr", "vi"] as const
export type Locale = (typeof LOCALES)[number]

/** The languages in their own names. */
export const LANGUAGE_NAMES: Record<Locale, string> = { en: "English", es: "Español", fr: "Français", vi: "Tiếng Việt" }

/** A message in every language; `:name` is a placeholder. */
export type Translations = Record<Locale, string>

/**
 * Returns the client's preferred language among the supported ones, else `en`.
 * @param header an `Accept-Language` header
 */
export const acceptedLocale = (header: string | null | undefined): Locale => findAcceptedLocale(header) ?? "en"

/**
 * Finds the client's preferred language among the supported ones (RFC 9110, section 12.5.4).
 * @param header an `Accept-Language` header
 * @returns null when no supported language is accepted
 */
export function findAcceptedLocale(header: string | null | undefined): Locale | null {
  const ranges = (header ?? "")
    .slice(0, 500)
    .split(",")
    .map((range) => {
      const [tag = "", ...params] = range.trim().toLowerCase().split(";")
      const q = params.find((p) => p.trim().startsWith("q="))
      return { language: tag.split("-")[0] ?? "", weight: q ? Number(q.trim().slice(2)) || 0 : 1 }
    })
    .filter((range) => range.weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return ranges.map((range) => LOCALES.find((locale) => locale === range.language)).find(Boolean) ?? null
}

/** Translates a message and fills in its placeholders. */
export const translate = (sentence: Translations, locale: Locale, facts: Record<string, unknown> = {}): string =>
  fillPlaceholders(sentence[locale], facts)

/** Replaces the placeholders that have a value. */
export const fillPlaceholders = (sentence: string, facts: Record<string, unknown>): string =>
  sentence.replace(/:([a-z_]+)/g, (whole, name: string) => (name in facts ? String(facts[name]) : whole))

/** Builds a string in every language. */
export const localize = (en: string, es: string, fr: string, vi: string): Translations => ({ en, es, fr, vi })

/** Creates the function that looks up strings of a set. */
export const createTranslator =
  <Key extends string>(strings: Record<Key, Translations>) =>
  (key: Key, locale: Locale, params: Record<string, string | number> = {}): string =>
    translate(strings[key], locale, params)
