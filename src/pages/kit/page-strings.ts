// Looks up strings of pages. The bundle has the English ones only: the translations are files of assets/, which a page's
// surface loads before it renders anything.
import { loadTranslation } from "../../core/i18n/load-strings"
import { fillPlaceholders, type Locale } from "../../core/i18n/locale"
import type { Bindings } from "../../env"
import { isolateState } from "../../lib/isolate-state"

type Strings = Readonly<Record<string, string>>

/** The translations of a set of strings. The compiler requires each string in every language. */
export type PageTranslations<Set extends Strings> = Record<Exclude<Locale, "en">, Record<keyof Set, string>>

const loaded = isolateState((): Partial<Record<Locale, Record<string, Strings>>> => ({}))

/** Loads the strings of all pages in a language. Those of a language that cannot be read now are in English. */
export async function loadPageStrings(env: Bindings, locale: Locale): Promise<void> {
  loaded.current[locale] = await loadTranslation(env, "pages", locale, {})
}

/**
 * Creates the function that looks up strings.
 * @param sets the English strings by the name of their set in the files of translations; the first set with a key wins
 */
export const createPageTranslator =
  <Sets extends Readonly<Record<string, Strings>>>(sets: Sets) =>
  (key: KeyOf<Sets>, locale: Locale, params: Record<string, string | number> = {}): string => {
    const [set, english] = Object.entries(sets).find(([, strings]) => Object.hasOwn(strings, key)) ?? ["", {}]
    return fillPlaceholders(loaded.current[locale]?.[set]?.[key] ?? english[key] ?? key, params)
  }

type KeyOf<Sets> = { [Set in keyof Sets]: keyof Sets[Set] & string }[keyof Sets]
