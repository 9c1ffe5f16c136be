// npm run mutants: breaks rules, guards and limits of the code, one at a time, and checks that a test notices each.
// `npm run mutants -- webhooks revoked` runs the areas and mutants whose names contain one of the texts.
// Works in a copy of the project, because a process that is killed would leave a mutant behind.
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createVitest, type TestModule } from "vitest/node"
import { root } from "../tools/lib/project.ts"
import { exitWithHelp } from "../tools/lib/script-options.ts"
import type { Mutant } from "../tools/mutants/mutant.ts"
import { applyMutant, MUTANTS } from "../tools/mutants/mutants.ts"

exitWithHelp(import.meta.url)

/** In the project's directory, so that Node finds `node_modules` above it. Git ignores it. */
mkdirSync(join(root, ".wrangler"), { recursive: true })
const copy = mkdtempSync(join(root, ".wrangler", "mutants-"))

const texts = process.argv.slice(2)
const chosen = Object.entries(MUTANTS).flatMap(([area, mutants]) =>
  mutants
    .map((mutant) => ({ ...mutant, name: `${area}/${mutant.name}` }))
    .filter(({ name }) => !texts.length || texts.some((text) => name.includes(text))),
)
if (!chosen.length) {
  console.error(`No mutant's name contains ${texts.join(" or ")}.`)
  process.exit(1)
}

const start = Date.now()
copyProject()
process.chdir(copy)
Object.assign(process.env, { PWD: copy, CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_LOG: "error" })
// Without watch mode, vitest runs tests only once. Nothing is watched, because a changed file would start its tests.
const options = { root: copy, watch: true, project: "worker", reporters: [{}] }
const vitest = await createVitest("test", options, { server: { watch: null } })
const isComplete = await runAll()
await vitest.close()
rmSync(copy, { recursive: true, force: true })
console.log(`${Math.round((Date.now() - start) / 1000)} s`)
// Runtimes of the tests may outlive vitest.
process.exit(isComplete ? 0 : 1)

/** Copies the files that Git tracks or would add. */
function copyProject(): void {
  const { stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  })
  // Git lists a deleted file until the deletion is committed.
  const paths = stdout.split("\0").filter((path) => path && existsSync(join(root, path)))
  for (const path of paths) cpSync(join(root, path), join(copy, path))
}

/** Runs the tests without a mutant and then with each, and returns whether every mutant was killed or has a reason. */
async function runAll(): Promise<boolean> {
  const baseline = await runTests(chosen.flatMap(({ tests }) => tests))
  if (baseline.failed.length) {
    console.error(`The tests fail without a mutant:\n${baseline.failed.join("\n")}`)
    return false
  }
  console.log(`${baseline.passed} tests pass without a mutant. Mutants: ${chosen.length}`)
  const unnoticed: string[] = []
  for (const mutant of chosen) {
    const begin = Date.now()
    const verdict = await tryMutant(mutant)
    if (verdict === "survived") unnoticed.push(mutant.name)
    console.log(`${verdict.padEnd(8)} ${mutant.name} (${Math.round((Date.now() - begin) / 1000)} s)`)
  }
  console.log(`${chosen.length - unnoticed.length} of ${chosen.length} mutants are killed or explained.`)
  if (unnoticed.length) console.error(`No test notices:\n${unnoticed.join("\n")}`)
  return unnoticed.length === 0
}

/** Runs a mutant's tests with it; a second time when all pass, because a busy vitest once ran the original source. */
async function tryMutant(mutant: Mutant): Promise<"killed" | "survived" | "accepted"> {
  const path = join(copy, mutant.file)
  const source = readFileSync(path, "utf8")
  const mutated = applyMutant(source, mutant)
  const isNoticed = async () => {
    writeSource(path, mutated)
    return (await runTests(mutant.tests)).failed.length > 0
  }
  const isKilled = (await isNoticed()) || (await isNoticed())
  writeSource(path, source)
  if (isKilled) return "killed"
  return mutant.reason === undefined ? "survived" : "accepted"
}

/** Writes a source file, and makes vitest transform it again. */
function writeSource(path: string, source: string): void {
  writeFileSync(path, source)
  vitest.invalidateFile(path)
}

/**
 * Runs test files.
 * @returns the names of the failed tests, and the number of passed ones
 * @throws Error if a file has no tests or cannot be loaded, because a mutant that is not valid code proves nothing
 */
async function runTests(files: readonly string[]): Promise<{ failed: string[]; passed: number }> {
  const paths = new Set(files.map((file) => join(copy, file)))
  const project = vitest.getProjectByName("worker")
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    [...paths].map((path) => project.createSpecification(path)),
  )
  // vitest also returns the files of earlier runs.
  const modules = testModules.filter(({ moduleId }) => paths.has(moduleId))
  const loaded = modules.filter(isLoaded)
  if (loaded.length !== paths.size) {
    const errors = [...modules.flatMap((module) => module.errors()), ...unhandledErrors]
    throw new Error(`Some of ${files.join(", ")} could not be loaded`, { cause: errors })
  }
  const tests = loaded.flatMap(({ children }) => [...children.allTests()])
  return {
    failed: tests.filter((test) => test.result().state === "failed").map(({ fullName }) => fullName),
    passed: tests.filter((test) => test.result().state === "passed").length,
  }
}

/** Whether a file has tests, and none was prevented from running by an error outside of tests. */
function isLoaded(module: TestModule): boolean {
  return !module.errors().length && [...module.children.allTests()].length > 0
}
