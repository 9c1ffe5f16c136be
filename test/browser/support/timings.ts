// Reports the duration of each journey and the number of passed and failed tests.
import type { Reporter, TestCase, TestModule } from "vitest/node"

export default class TimingsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const states = tests.map((test) => test.result().state)
    const broken = modules.filter((module) => module.state() === "failed" && module.errors().length > 0).length
    const failed = states.filter((state) => state === "failed").length + broken + unhandled.length
    for (const [journey, ms] of Map.groupBy(tests, getJourneyName))
      console.log(`${formatSeconds(ms).padStart(24)}  ${journey}`)
    console.log(`\n${states.filter((state) => state === "passed").length} passed, ${failed} failed`)
  }
}

/** The suite or file that groups the variants of a journey. */
const getJourneyName = (test: TestCase): string =>
  test.parent.type === "suite" ? test.parent.fullName : (test.module.relativeModuleId.split("/").at(-1) ?? "")

/** The fastest and the slowest test, in seconds. */
function formatSeconds(tests: TestCase[]): string {
  const durations = tests.map((test) => (test.diagnostic()?.duration ?? 0) / 1000).sort((a, b) => a - b)
  const [min = 0, max = 0] = [durations[0], durations.at(-1)]
  return `${tests.length} × ${min.toFixed(1)} to ${max.toFixed(1)} s`
}
