// Converts text to URL slugs.
import { toNfc } from "./text"

/** Letters that Unicode normalization does not decompose. */
const SPELLED: Record<string, string> = { đ: "d", ð: "d", ø: "o", ł: "l", ß: "ss", æ: "ae", œ: "oe", þ: "th", ı: "i" }

/**
 * UTF-16 units of text that are read per character of the slug. Truncating first bounds normalization, which takes
 * quadratic time on runs of combining marks.
 */
const UNITS_PER_CHARACTER = 4

/**
 * Converts a text to a slug: lower case, Latin letters without accents, hyphens for everything between letters and
 * digits.
 * Letters of other scripts are preserved, so a name in any language has a slug.
 * @param text truncated to what a slug can use
 * @param max maximum length in characters
 * @returns an empty string when there are no letters or digits
 */
export function slugify(text: string, max = 120): string {
  const letters = text
    .slice(0, UNITS_PER_CHARACTER * max)
    .toWellFormed()
    .normalize("NFKD")
    .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
  // As a slug in a URL is normalized, which truncates long runs of combining marks.
  const folded = toNfc(letters)
    .toLowerCase()
    .replace(/[đðøłßæœþı]/g, (letter) => SPELLED[letter] ?? letter)
  const hyphened = folded.replace(/['’]/g, "").replace(/[^\p{L}\p{N}\p{M}]+/gu, "-")
  return [...hyphened.replace(/^[-\p{M}]+/u, "")].slice(0, max).join("").replace(/-$/, "")
}
