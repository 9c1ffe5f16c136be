// Texts that differ in nothing but case and composition count as one: in names that must be unique, in order, and in search.

/** A text folded to that end. */
export const fold = (text: string): string => text.toWellFormed().normalize("NFC").toLowerCase()
