// Reports flaky tests: those that passed only on retry. They do not fail the run, but each points to a race.
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
    console.error(`\nPassed only on retry:\n${lines.join("\n")}\n`)
  }
}
