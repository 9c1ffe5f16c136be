// Finds what is declared and never used: event types that nothing emits, refusal codes and field rules that nothing
// raises, settings that nothing reads, and settings that neither wrangler.toml nor the documentation names.
import type { Node } from "oxc-parser"
import { parseSource, type Violation } from "./source.ts"

const EVENT_TYPES = "src/core/write/event-types.ts"
const REFUSALS = "src/core/http/refusal.ts"
const SETTINGS = "src/env.ts"

/** Where settings are named: variables in the first, secrets in the second. */
export const SETTING_DOCUMENTS = ["wrangler.toml", "docs/operations/deployment.md"]

/** Files that list or describe what others use. */
const LISTS =
  /event-(types|payloads)|examples|\/docs\.ts|^src\/docs\/|strings|refusal-messages|envelope|http\/refusal\.ts$/

/** Lists the texts that code contains as values: not in types and comments, and not to compare another value with. */
function textsIn(path: string, text: string): string[] {
  const compared = new Set<Node>()
  const found: string[] = []
  parseSource(path, text).visit({
    TSLiteralType: ({ literal }) => void compared.add(literal),
    SwitchCase({ test }) {
      if (test) compared.add(test)
    },
    BinaryExpression({ left, right }) {
      compared.add(left)
      compared.add(right)
    },
    Literal(node) {
      if (typeof node.value === "string" && !compared.has(node)) found.push(node.value)
    },
  })
  return found
}

/**
 * Finds unused declarations.
 * @param files path from the project's root to text: all source files, and `SETTING_DOCUMENTS`
 */
export function findUnusedDeclarations(files: ReadonlyMap<string, string>): Violation[] {
  const users = [...files].filter(([path]) => /^src\/(?!client\/)/.test(path) && path !== SETTINGS)
  const literals = new Set(
    users.flatMap(([path, text]) => (LISTS.test(path) || !/\.tsx?$/.test(path) ? [] : textsIn(path, text))),
  )
  const words = new Set(users.flatMap(([, text]) => text.match(/\b[A-Z][A-Z_]{3,}\b/g) ?? []))
  const documented = SETTING_DOCUMENTS.map((path) => files.get(path) ?? "").join("\n")
  const find = (file: string, pattern: RegExp, rule: string, isUsed: (name: string) => boolean): Violation[] => {
    const text = files.get(file) ?? ""
    return [...text.matchAll(pattern)].flatMap(({ index, 1: name = "" }) =>
      isUsed(name) ? [] : [{ file, line: text.slice(0, index).split("\n").length, rule, found: name }],
    )
  }
  return [
    ...find(EVENT_TYPES, /^ {2}"([\w.]+)",$/gm, "every event type is emitted", (name) => literals.has(name)),
    ...find(REFUSALS, /\| "(\w+)"/g, "every refusal code and field rule is raised", (name) => literals.has(name)),
    ...find(SETTINGS, /^ {2}([A-Z][A-Z_]+):/gm, "every setting is read", (name) => words.has(name)),
    ...find(SETTINGS, /^ {2}([A-Z][A-Z_]+):/gm, `every setting is in ${SETTING_DOCUMENTS.join(" or ")}`, (name) =>
      new RegExp(`\\b${name}\\b`).test(documented),
    ),
  ]
}
