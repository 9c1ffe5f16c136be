// What a run of the browser tests ends with: how long each journey took, and how many tests passed and failed.
import type { Reporter, TestCase, TestModule } from "vitest/node"

export default class Timings implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const states = tests.map((test) => test.result().state)
    const broken = modules.filter((module) => module.state() === "failed" && module.errors().length > 0).length
    const failed = states.filter((state) => state === "failed").length + broken + unhandled.length
    for (const [journey, ms] of Map.groupBy(tests, nameOf)) console.log(`${seconds(ms).padStart(24)}  ${journey}`)
    console.log(`\n${states.filter((state) => state === "passed").length} passed, ${failed} failed`)
  }
}

/** A journey, or a kind of check: what its variants stand below. */
const nameOf = (test: TestCase): string =>
  test.parent.type === "suite" ? test.parent.fullName : (test.module.relativeModuleId.split("/").at(-1) ?? "")

/** The quickest of its tests and the slowest, in seconds. */
function seconds(tests: TestCase[]): string {
  const all = tests.map((test) => (test.diagnostic()?.duration ?? 0) / 1000).sort((a, b) => a - b)
  const [least = 0, most = 0] = [all[0], all.at(-1)]
  return `${tests.length} × ${least.toFixed(1)} to ${most.toFixed(1)} s`
}
