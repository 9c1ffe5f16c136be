// npm run verify: runs the static checks side by side, then the tests in order, and stops at the first failure.
// `.ci/run` adds a clean install. The last line is always `N passed, N failed`, counting tests. A failed check without
// failed tests counts as one failure.
import { spawn, spawnSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../tools/lib/project.ts"

/** Scripts of package.json that only read files and use one core each; the slowest come first. */
const STATIC_CHECKS = ["check", "types", "lint", "dead-code", "dead-code:production", "lint:openapi"]

/** Scripts of package.json that use every core. */
const TEST_CHECKS = ["test", "test:faults", "test:browser", "chaos:server"]

/** Arguments that shorten slow checks. */
const REDUCED_ARGS: Record<string, string[]> = {
  "chaos:server": ["--events=120", "--kills=4", "--faults=0.01", "--delivery-databases=4"],
}

/** Reporters of the test checks. */
const REPORTERS: Record<string, string[]> = {
  test: ["default", "./test/support/contract-report.ts", "./test/support/attack-report.ts"],
  "test:faults": ["default"],
  "test:browser": ["default", "./test/browser/support/timings.ts"],
}

/** The tests that run with faults: those that write the most, except the ones that inject all faults themselves. */
const FAULT_TESTS = Object.entries({
  content: ["accounts", "media", "push/sending"],
  jobs: ["chains", "leases"],
  license: ["activations", "external", "keys"],
  platform: ["clock", "domains", "hostnames", "orders", "provisioning", "stores", "subscriptions"],
  webhooks: ["attempt", "deliveries", "endpoints", "recovery", "sweep"],
}).flatMap(([folder, names]) => names.map((name) => `test/${folder}/${name}.test.ts`))

/** Determines the faults. It is constant, so that a failure is caused by a change. */
const FAULT_SEED = "1"

/** Determines the random order of the tests. */
const SEED = randomInt(2 ** 31)

const work = mkdtempSync(join(tmpdir(), "tenancy-verify-"))
const failedCheck =
  (await runStaticChecks()) ?? TEST_CHECKS.find((name) => !runCheck(name, REDUCED_ARGS[name] ?? getTestArgs(name)))
const counts = Object.keys(REPORTERS).map((name) => readCounts(getReportFile(name)))
rmSync(work, { recursive: true, force: true })

const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failedTests = counts.reduce((sum, count) => sum + count.failed, 0)
const failed = failedCheck ? Math.max(failedTests, 1) : failedTests
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

/** Runs the static checks, one for each core at a time, and returns one that failed. */
async function runStaticChecks(): Promise<string | undefined> {
  const waiting = [...STATIC_CHECKS]
  const failures: string[] = []
  const work = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) {
      if (!(await runStaticCheck(name))) failures.push(name)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return failures[0]
}

/** Runs a script of package.json, prints its output when it ends, and returns whether it succeeded. */
async function runStaticCheck(name: string): Promise<boolean> {
  const start = Date.now()
  const child = spawn("npm", getCommand(name, []), { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
  const output: Buffer[] = []
  child.stdout.on("data", (chunk) => output.push(chunk))
  child.stderr.on("data", (chunk) => output.push(chunk))
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve))
  console.log(`\n== ${name}\n${Buffer.concat(output)}`)
  printResult(name, status, start)
  return status === 0
}

/** Returns the arguments of npm that run a script of package.json without its pre and post scripts. */
function getCommand(name: string, args: string[]): string[] {
  return ["run", "--silent", "--ignore-scripts", name, "--", ...args]
}

function printResult(name: string, status: number | null, start: number): void {
  console.log(`== ${name}: ${status === 0 ? "done" : "FAILED"} after ${Math.round((Date.now() - start) / 1000)} s`)
}

/** Runs a script of package.json, prints its duration and returns whether it succeeded. */
function runCheck(name: string, args: string[]): boolean {
  const start = Date.now()
  console.log(`\n== ${name}`)
  const env = { ...process.env, FAULT_SEED }
  const { status } = spawnSync("npm", getCommand(name, args), {
    ...{ cwd: root, env },
    stdio: ["ignore", "inherit", "inherit"],
  })
  printResult(name, status, start)
  if (status !== 0 && REPORTERS[name]) console.log(`== repeat its order: npm run ${name} -- --sequence.seed=${SEED}`)
  return status === 0
}

/** Returns the arguments of a test run: its reporters, its order and its files; none for other checks. */
function getTestArgs(name: string): string[] {
  const reporters = REPORTERS[name]
  if (!reporters) return []
  return [
    `--sequence.seed=${SEED}`,
    ...[...reporters, "json"].map((one) => `--reporter=${one}`),
    `--outputFile.json=${getReportFile(name)}`,
    ...(name === "test:faults" ? FAULT_TESTS : []),
  ]
}

/** Returns the JSON report file of a test run. */
function getReportFile(name: string): string {
  return join(work, `${name.replace(":", "-")}.json`)
}

/** Counts the tests in a vitest report; zero without a report. */
function readCounts(file: string): { passed: number; failed: number } {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, "utf8"))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch {
    return { passed: 0, failed: 0 }
  }
}
