// Rejects identifiers that were replaced by standard terms, so that readers need no private vocabulary.
import { RETIRED_NAMES, RETIRED_WORDS } from "./retired-names.ts"
import type { SourceFile, Violation } from "./source.ts"

/** Splits an identifier into lower-case words: `MAX_KEPT`, `keptAnswers` and `KeptAnswer` all contain `kept`. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_$]+/)
    .filter(Boolean)

/** Generated code, with names from the API, and the list itself. */
const EXEMPT = new Set(["src/client/openapi.ts", "tools/lint/retired-names.ts"])

/** Finds retired identifiers in a file. */
export function findRetiredIdentifiers(file: SourceFile): Violation[] {
  if (EXEMPT.has(file.path)) return []
  const found: Violation[] = []
  const check = ({ name, start }: { name: string; start: number }) => {
    const reason = Object.hasOwn(RETIRED_NAMES, name)
      ? RETIRED_NAMES[name]
      : wordsOf(name)
          .filter((word) => Object.hasOwn(RETIRED_WORDS, word))
          .map((word) => RETIRED_WORDS[word])[0]
    if (reason)
      found.push({ file: file.path, line: file.lineAt(start), rule: `retired identifier: ${reason}`, found: name })
  }
  file.visit({ Identifier: check, PrivateIdentifier: check, JSXIdentifier: check })
  return found
}
