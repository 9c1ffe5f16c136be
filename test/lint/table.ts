// Renders the table of rules in CONTRIBUTING.md from the violations and the edits.
import { type Enforcer, RULES } from "./cases.ts"
import { EDIT_RULES } from "./edits.ts"

const START = "<!-- Generated from test/lint/cases.ts by `npm run docs`. -->\n"
const END = "<!-- End of the generated table. -->"

const ENFORCERS: Record<Enforcer, string> = {
  types: "`npm run types`",
  biome: "`npm run check`",
  lint: "`npm run lint`",
}

/**
 * Replaces the generated table in CONTRIBUTING.md.
 * @throws Error when the text has no marks for it
 */
export function insertRulesTable(text: string): string {
  const [before, rest] = text.split(START)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined)
    throw new Error("CONTRIBUTING.md has no place for the table of rules")
  const counts = new Map<string, number>()
  for (const { rule, by, cases } of RULES) {
    const row = `| ${rule} | ${ENFORCERS[by]} |`
    counts.set(row, (counts.get(row) ?? 0) + cases.length)
  }
  const rows = [
    ...[...counts].map(([row, count]) => `${row} ${count} |`),
    ...EDIT_RULES.map(({ rule, edits }) => `| ${rule} | ${ENFORCERS.types} | ${edits.length} |`),
  ]
  const table = ["| Rule | Fails in | Violations tried |", "| --- | --- | --- |", ...rows].join("\n")
  return `${before}${START}\n${table}\n\n${END}${after}`
}
