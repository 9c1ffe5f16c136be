// Finds a search term in a column without a folded copy. SQLite's `lower` folds ASCII letters only, so the term is
// compared in several spellings.
import { type Placeholder, type SQL, sql } from "drizzle-orm"
import { param } from "./prepared"

/** The spellings of a term that `containsTerm` compares, with all ASCII letters in lower case. */
export type TermSpellings = Record<(typeof SPELLINGS)[number], string>

const SPELLINGS = ["term", "capitalizedTerm", "titleCaseTerm", "upperCaseTerm"] as const

const foldAscii = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

const capitalize = (text: string): string => text.replace(/^./u, (letter) => letter.toUpperCase())

/** Returns the spellings of a case-folded term. */
export const toSpellings = (term: string): TermSpellings => ({
  term,
  capitalizedTerm: foldAscii(capitalize(term)),
  titleCaseTerm: foldAscii(term.replaceAll(/[^\s'’-]+/g, capitalize)),
  upperCaseTerm: foldAscii(term.toUpperCase()),
})

/**
 * Whether a text contains a term, as a condition. Letters of ASCII match in any case. All other letters of the term
 * match when they are in lower case in the text, when those at the beginning of the term or of each of its words are
 * capitals, or when all are capitals. So "élodie", "ÉLODIE" and "élo" find "Élodie", but "mcély" does not find "McÉly".
 * @param text an expression that is not null
 */
export const containsTerm = (text: SQL, spellings: TermSpellings): SQL => {
  const distinct = [...new Set(SPELLINGS.map((name) => spellings[name]))]
  return containsAny(text, distinct)
}

/** `containsTerm` for a prepared statement, which binds the values of `toSpellings`. */
export const containsBoundTerm = (text: SQL): SQL => containsAny(text, SPELLINGS.map(param))

const containsAny = (text: SQL, terms: readonly (string | Placeholder)[]): SQL =>
  sql`(${sql.join(
    terms.map((term) => sql`instr(lower(${text}), ${term}) > 0`),
    sql` or `,
  )})`
