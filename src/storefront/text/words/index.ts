// The storefront's own words, in the platform's four languages.
import { en } from "./en"
import { es } from "./es"
import { fr } from "./fr"
import { vi } from "./vi"
import type { Words } from "./words"

export type { Words } from "./words"

const languages: Record<string, Words> = { en, es, fr, vi }

/**
 * @param language two-letter code
 * @returns that language's words, English where there are none
 */
export function wordsIn(language: string): Words {
  return (Object.hasOwn(languages, language) ? languages[language] : undefined) ?? en
}
