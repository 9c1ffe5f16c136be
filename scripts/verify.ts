// npm run verify: every check, in this order, up to the first that fails. `.ci/run` is a clean install and this. The last line
// is always `N passed, N failed`: the tests, and one failure for a check that is not a test run.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../tools/lib/project.ts"

/** Scripts of package.json. What is cheap and likely to fail comes first; last, what a piece of work passes once all of it is there. */
const CHECKS = [
  "check",
  "types",
  "layers",
  "dead-code",
  "lint:openapi",
  "test",
  "test:browser",
  "dead-code:production",
  "chaos:server",
]

/** What a check is given that takes longer by itself than a change should wait for. */
const SHORTER: Record<string, string[]> = { "chaos:server": ["--events=120"] }

/** Those of them that are tests, and what reports of each. A test that fails is asked once more, and named if it then passes. */
const REPORTERS: Record<string, string[]> = {
  test: ["default", "./test/support/contract-report.ts", "./test/support/retry-report.ts"],
  "test:browser": ["default", "./test/browser/support/timings.ts", "./test/support/retry-report.ts"],
}

const work = mkdtempSync(join(tmpdir(), "tenancy-verify-"))
const failedCheck = CHECKS.find((name) => !run(name, SHORTER[name] ?? reporters(name)))
const counts = Object.keys(REPORTERS).map((name) => countsOf(reportOf(name)))
rmSync(work, { recursive: true, force: true })

const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failedTests = counts.reduce((sum, count) => sum + count.failed, 0)
const failed = failedCheck ? Math.max(failedTests, 1) : failedTests
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

/** Runs one script of package.json without those that npm runs before it; tells how long it took and whether it succeeded. */
function run(name: string, args: string[]): boolean {
  const start = Date.now()
  console.log(`\n== ${name}`)
  const npm = ["run", "--silent", "--ignore-scripts", name, "--", ...args]
  const { status } = spawnSync("npm", npm, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
  console.log(`== ${name}: ${status === 0 ? "done" : "FAILED"} after ${Math.round((Date.now() - start) / 1000)} s`)
  return status === 0
}

/** What makes a test run report; nothing for any other check. */
function reporters(name: string): string[] {
  const given = REPORTERS[name]
  if (!given) return []
  return ["--retry=1", ...[...given, "json"].map((one) => `--reporter=${one}`), `--outputFile.json=${reportOf(name)}`]
}

/** Where a test run leaves its report. */
function reportOf(name: string): string {
  return join(work, `${name.replace(":", "-")}.json`)
}

/** The tests that a run of vitest reported; none where it wrote no report. */
function countsOf(file: string): { passed: number; failed: number } {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, "utf8"))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch {
    return { passed: 0, failed: 0 }
  }
}
