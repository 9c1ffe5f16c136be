// Folds case and Unicode composition, for unique names, sorting and search.
import { toNfc } from "../lib/text"

/** Folds a text so that two texts compare equal when they differ only in case and Unicode composition. */
export const foldCase = (text: string): string => toNfc(text).toLowerCase()
