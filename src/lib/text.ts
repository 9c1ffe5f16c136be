// Normalizes Unicode text (UAX #15), and folds it for search.

/** The longest run of combining marks in any language (UAX #15, Stream-Safe Text Format). */
const MAX_COMBINING_MARKS = 30

/**
 * Normalizes a text to NFC. Normalization takes quadratic time on runs of combining marks,
 * so longer runs than any language has are truncated first.
 */
export const toNfc = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{M}{2,}/gu, (run) =>
      run.length <= MAX_COMBINING_MARKS
        ? run
        : [...run.slice(0, 2 * MAX_COMBINING_MARKS)].slice(0, MAX_COMBINING_MARKS).join(""),
    )
    .normalize("NFC")

/**
 * Folds a text for search: ignores case and Unicode composition, and replaces control characters by blanks. One
 * lower-casing would distinguish "ß" from "SS", "ﬁ" from "FI" and a final sigma from a medial one. Upper case expands
 * all of them, except for the capital "ẞ", which therefore is lowered first.
 */
export const foldForSearch = (text: string): string =>
  toNfc(text.toWellFormed().toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ")).replaceAll(/\p{Cc}+/gu, " ")
