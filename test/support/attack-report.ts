// Writes test/attack/coverage.md, the table of the routes that each attack test requests, if UPDATE_ATTACKS is set
// (`npm run attacks:update`). Otherwise fails a complete test run if the table differs.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { TestModule } from "vitest/node"
import { CompleteRunReport } from "./complete-run-report"

const DIRECTORY = join(import.meta.dirname, "../attack")
const FILE = join(DIRECTORY, "coverage.md")

/** Lines of the table that are printed when they differ. */
const MAX_PRINTED = 10

export default class AttackReport extends CompleteRunReport {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const isUpdate = process.env.UPDATE_ATTACKS !== undefined
    // A failed test may have stopped before its last request.
    if (!(isUpdate || (await this.isComplete())) || modules.some((module) => !module.ok())) return
    const table = buildTable(modules)
    if (isUpdate) return writeFileSync(FILE, table)
    const stored = readFileSync(FILE, "utf8")
    if (table === stored) return
    const lines = new Set(stored.split("\n"))
    const changed = table.split("\n").filter((line) => !lines.has(line))
    console.error("\ntest/attack/coverage.md is out of date. Run `npm run attacks:update`. Lines that differ:")
    console.error(`${changed.slice(0, MAX_PRINTED).join("\n")}\n`)
    process.exitCode = 1
  }
}

interface Attack {
  name: string
  /** The first sentence of the file's comment. */
  summary: string
  routes: ReadonlySet<string>
}

function buildTable(modules: readonly TestModule[]): string {
  const attacks = readdirSync(DIRECTORY)
    .filter((name) => name.endsWith(".test.ts"))
    .sort()
    .map((name) => readAttack(name, modules))
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const routes = tests.flatMap((test) => test.meta().routes ?? [])
  const surfaces = [...new Set(routes.map(({ surface }) => surface))]
  return `${[
    "# Attacks by route",
    "Which attack tests send requests to which routes. `npm run attacks:update` writes this page, and a complete run of `npm test` fails if it is out of date.",
    attacks.map(({ name, summary }, index) => `${index + 1}. [${name}](${name}.test.ts): ${summary}`).join("\n"),
    ...surfaces.map((surface) => {
      const names = routes.filter((route) => route.surface === surface).map(({ method, path }) => `${method} ${path}`)
      return `## ${surface || "Pages without a prefix"}\n\n${buildSurfaceTable(names, attacks)}`
    }),
  ].join("\n\n")}\n`
}

function readAttack(file: string, modules: readonly TestModule[]): Attack {
  const module = modules.find(({ moduleId }) => moduleId === join(DIRECTORY, file))
  const tests = [...(module?.children.allTests() ?? [])]
  const [comment = ""] = /^(\/\/.*\n)+/.exec(readFileSync(join(DIRECTORY, file), "utf8")) ?? []
  const text = comment.replaceAll(/^\/\/ ?/gm, "").replaceAll("\n", " ")
  return {
    name: basename(file, ".test.ts"),
    summary: /^.*?\.(?= |$)/.exec(text)?.[0] ?? text,
    routes: new Set(tests.flatMap((test) => test.meta().requestedRoutes ?? [])),
  }
}

/** A row for each route and a column for each attack. */
function buildSurfaceTable(routes: readonly string[], attacks: readonly Attack[]): string {
  const rows = routes.map((route) => [
    `\`${route}\``,
    ...attacks.map((attack) => (attack.routes.has(route) ? "●" : "")),
  ])
  const counts = attacks.map((attack) => String(routes.filter((route) => attack.routes.has(route)).length))
  return [
    ["Route", ...attacks.map((_, index) => String(index + 1))],
    Array.from({ length: attacks.length + 1 }, () => "---"),
    [`${routes.length} routes`, ...counts],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
}
