// Rejects identifiers that were replaced by standard terms, so that readers need no private vocabulary.
import { identifiersOf } from "./identifiers.ts"
import type { Violation } from "./layers.ts"
import { RETIRED_NAMES, RETIRED_WORDS } from "./retired-names.ts"

/** Splits an identifier into lower-case words: `MAX_KEPT`, `keptAnswers` and `KeptAnswer` all contain `kept`. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_$]+/)
    .filter(Boolean)

/**
 * Finds retired identifiers in a file.
 * @param file path from the project's root
 * @param text its source
 */
export function retiredIdentifiers(file: string, text: string): Violation[] {
  return identifiersOf(text).flatMap(({ name, line }) => {
    const reason = Object.hasOwn(RETIRED_NAMES, name)
      ? RETIRED_NAMES[name]
      : wordsOf(name)
          .filter((word) => Object.hasOwn(RETIRED_WORDS, word))
          .map((word) => RETIRED_WORDS[word])[0]
    return reason ? [{ file, line, rule: `retired identifier: ${reason}`, imports: name }] : []
  })
}
