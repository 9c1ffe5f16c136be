// Breaks every rule in a copy of the project, and runs the compiler, Biome and the project's lint rules on it once.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { root } from "../../tools/lib/project.ts"
import { lint } from "../../tools/lint/lint.ts"
import { type Case, type Enforcer, RULES } from "./cases.ts"
import { compile, copyProject, runTool } from "./project-copy.ts"
import { insertRulesTable } from "./table.ts"

/** A snippet in the copy. */
interface Snippet extends Case {
  rule: string
  by: Enforcer
  violationFile: string
  legalFile: string
}

const snippets: Snippet[] = RULES.flatMap(({ rule, by, cases }) => cases.map((one) => ({ rule, by, ...one }))).map(
  (one, index) => ({
    ...one,
    violationFile: one.file.replace("*", `violation-${index}`),
    legalFile: one.file.replace("*", `legal-${index}`),
  }),
)

const copy = copyProject()

/** The errors of each file, by tool. */
const errors: Record<Enforcer, Map<string, string[]>> = { types: new Map(), biome: new Map(), lint: new Map() }

function addError(by: Enforcer, file: string, message: string): void {
  errors[by].set(file, [...(errors[by].get(file) ?? []), message])
}

beforeAll(() => {
  const files = new Map<string, string>()
  for (const { violation, legal, violationFile, legalFile } of snippets) {
    files.set(violationFile, `// A violation.\n${violation}\n`)
    files.set(legalFile, `// A legal counterpart.\n${legal}\n`)
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    writeFileSync(join(copy, path), text)
  }
  for (const { file, message } of compile(copy)) addError("types", file, message)
  const checked = runTool(copy, "biome", [
    "lint",
    "--vcs-enabled=false",
    "--reporter=json",
    "--max-diagnostics=none",
    ...files.keys(),
  ])
  const { diagnostics } = JSON.parse(checked.stdout) as {
    diagnostics: { category: string; severity: string; location?: { path?: string | { file?: string } } }[]
  }
  for (const { category, severity, location } of diagnostics) {
    const path = typeof location?.path === "string" ? location.path : location?.path?.file
    if (severity === "error" && path) addError("biome", path.replace(/^\.\//, ""), category)
  }
  for (const { file, rule } of lint(files)) addError("lint", file, rule)
}, 300_000)

afterAll(() => rmSync(copy, { recursive: true }))

test.each(snippets)("$by rejects: $rule ($violationFile)", ({ by, violationFile, error }) => {
  expect(errors[by].get(violationFile)?.join("\n") ?? "").toContain(error)
})

test.each(snippets)("accepts the legal counterpart of: $rule ($legalFile)", ({ legalFile }) => {
  const found = Object.values(errors).flatMap((byFile) => byFile.get(legalFile) ?? [])
  expect(found).toEqual([])
})

test("has at least sixty violations", () => {
  expect(snippets.length).toBeGreaterThanOrEqual(60)
})

test("CONTRIBUTING's table of rules is up to date (npm run docs writes it)", () => {
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8")
  expect(text).toBe(insertRulesTable(text))
})
