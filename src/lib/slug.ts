// Names for paths.

/** Letters that have no accent to take away. */
const SPELLED: Record<string, string> = { đ: "d", ð: "d", ø: "o", ł: "l", ß: "ss", æ: "ae", œ: "oe", þ: "th", ı: "i" }

/** UTF-16 units of the text that are read for each character of the slug. Cut first: normalising a run of combining marks takes
 * time that grows with the square of its length. */
const UNITS_A_CHARACTER = 4

/**
 * A text as a path segment: lower case, Latin letters without accents, hyphens for everything between letters and digits.
 * Letters of other scripts stay, so that a name in any language has a slug.
 * @param text of which no more is read than a slug can be made of
 * @param max the longest it may be, in characters
 * @returns an empty text when there is neither a letter nor a digit
 */
export function slugify(text: string, max = 120): string {
  const folded = text
    .slice(0, UNITS_A_CHARACTER * max)
    .toWellFormed()
    .normalize("NFKD")
    .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[đðøłßæœþı]/g, (letter) => SPELLED[letter] ?? letter)
  const hyphened = folded.replace(/['’]/g, "").replace(/[^\p{L}\p{N}\p{M}]+/gu, "-")
  return [...hyphened.replace(/^-/, "")].slice(0, max).join("").replace(/-$/, "")
}
