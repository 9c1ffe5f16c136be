// The storefront's own words, in the platform's four languages.
import type { Locale } from "../../../core/i18n/locale"
import { en } from "./en"
import { es } from "./es"
import { fr } from "./fr"
import type { Words } from "./strings"
import { vi } from "./vi"

export type { Words } from "./strings"

export const words: Record<Locale, Words> = { en, es, fr, vi }

/**
 * @param code two-letter code of a language
 * @returns it, or English where the storefront has no words in it
 */
export const languageIn = (code: string): Locale => (Object.hasOwn(words, code) ? (code as Locale) : "en")
