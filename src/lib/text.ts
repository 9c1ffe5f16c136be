// Text in one form, whatever it was typed on (UAX #15).

/** Combining marks that follow one another in any language (UAX #15, Stream-Safe Text Format). */
const MOST_MARKS = 30

/**
 * A text with its accents composed (NFC). Sorting a run of combining marks takes time that grows with the square of its length,
 * so that of a longer run than any language has, the rest is dropped first.
 */
export const composed = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{M}{2,}/gu, (run) =>
      run.length <= MOST_MARKS ? run : [...run.slice(0, 2 * MOST_MARKS)].slice(0, MOST_MARKS).join(""),
    )
    .normalize("NFC")
