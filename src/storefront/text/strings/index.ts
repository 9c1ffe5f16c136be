// Storefront interface strings in all supported languages.
import type { Locale } from "../../../core/i18n/locale"
import { en } from "./en"
import { es } from "./es"
import { fr } from "./fr"
import type { StorefrontStrings } from "./types"
import { vi } from "./vi"

export type { StorefrontStrings } from "./types"

export const strings: Record<Locale, StorefrontStrings> = { en, es, fr, vi }

/**
 * Maps a language to a supported locale.
 * @param code two-letter language code
 * @returns the same language, or English where the storefront is not translated
 */
export const toSupportedLocale = (code: string): Locale => (Object.hasOwn(strings, code) ? (code as Locale) : "en")
