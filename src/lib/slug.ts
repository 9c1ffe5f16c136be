// Names for paths.

/** Letters that have no accent to take away. */
const SPELLED: Record<string, string> = { đ: "d", ð: "d", ø: "o", ł: "l", ß: "ss", æ: "ae", œ: "oe", þ: "th", ı: "i" }

/**
 * A text as a path segment: lower case, Latin letters without accents, hyphens for everything between letters and digits.
 * Letters of other scripts stay, so that a name in any language has a slug.
 * @param max the longest it may be, in characters
 * @returns an empty text when there is neither a letter nor a digit
 */
export function slugify(text: string, max = 120): string {
  const folded = text
    .toWellFormed()
    .normalize("NFKD")
    .replace(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[đðøłßæœþı]/g, (letter) => SPELLED[letter] ?? letter)
  const hyphened = folded.replace(/['’]/g, "").replace(/[^\p{L}\p{N}\p{M}]+/gu, "-")
  return [...hyphened.replace(/^-+/, "")].slice(0, max).join("").replace(/-+$/, "")
}
