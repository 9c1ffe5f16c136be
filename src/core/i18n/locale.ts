// The languages that messages are written in. Codes are never translated.

export const LOCALES = ["en", "es", "fr", "vi"] as const
export type Locale = (typeof LOCALES)[number]

/** One sentence in every language; `:name` stands for a fact. */
export type Translations = Record<Locale, string>

/**
 * The language a client wants most among ours (RFC 9110, section 12.5.4).
 * @param header an `Accept-Language` header
 * @returns `en` when it wants none of ours
 */
export function acceptedLocale(header: string | null | undefined): Locale {
  const wanted = (header ?? "")
    .slice(0, 500)
    .split(",")
    .map((range) => {
      const [tag = "", ...params] = range.trim().toLowerCase().split(";")
      const q = params.find((p) => p.trim().startsWith("q="))
      return { language: tag.split("-")[0] ?? "", weight: q ? Number(q.trim().slice(2)) || 0 : 1 }
    })
    .filter((range) => range.weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return wanted.map((range) => LOCALES.find((locale) => locale === range.language)).find(Boolean) ?? "en"
}

/** A sentence with its facts filled in. */
export const translate = (sentence: Translations, locale: Locale, facts: Record<string, unknown> = {}): string =>
  sentence[locale].replace(/:([a-z_]+)/g, (whole, name: string) => (name in facts ? String(facts[name]) : whole))
