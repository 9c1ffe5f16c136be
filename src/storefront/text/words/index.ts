// The storefront's own words, in the platform's four languages.
import type { Locale } from "../../../core/locale"
import { en } from "./en"
import { es } from "./es"
import { fr } from "./fr"
import { vi } from "./vi"
import type { Words } from "./words"

export type { Words } from "./words"

export const words: Record<Locale, Words> = { en, es, fr, vi }

/**
 * @param code two-letter code of a language
 * @returns it, or English where the storefront has no words in it
 */
export const languageIn = (code: string): Locale => (Object.hasOwn(words, code) ? (code as Locale) : "en")
