// Runs all of the project's own lint rules on a set of files.
import { findCodeViolations } from "./code-rules.ts"
import { findImportViolations } from "./layers.ts"
import { findRetiredIdentifiers } from "./retired-identifiers.ts"
import { parseSource, type Violation } from "./source.ts"

/**
 * Finds all violations, in the order of the files.
 * @param files path from the project's root to source text
 */
export const lint = (files: ReadonlyMap<string, string>): Violation[] =>
  [...files].flatMap(([path, text]) => {
    const file = parseSource(path, text)
    return [...findImportViolations(file), ...findCodeViolations(file), ...findRetiredIdentifiers(file)]
  })
