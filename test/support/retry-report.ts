// After a run that asks a failing test once more: names those that passed only then. They are no failure of this run, and each is a
// race that somebody has to find.
import type { Reporter, TestModule } from "vitest/node"

export default class RetryReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const flaky = tests.filter((test) => test.diagnostic()?.flaky)
    if (!flaky.length) return
    const lines = flaky.map((test) => {
      const [cause] = test.result().errors ?? []
      return `  ${test.module.relativeModuleId} > ${test.fullName}\n    ${cause?.message ?? ""}`
    })
    console.error(`\nPassed at the second try only:\n${lines.join("\n")}\n`)
  }
}
