// Normalizes Unicode text (UAX #15).

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
