// Texts that differ in nothing but case and composition count as one: in names that must be unique, in order, and in search.
import { composed } from "../lib/text"

/** A text folded to that end. */
export const fold = (text: string): string => composed(text).toLowerCase()
