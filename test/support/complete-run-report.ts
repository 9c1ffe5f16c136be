// The base of reporters that check a complete test run: a partial one proves nothing about what it left out.
import type { Reporter, Vitest } from "vitest/node"

export abstract class CompleteRunReport implements Reporter {
  #vitest: Vitest | undefined
  #files = 0

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#files = specifications.length
  }

  /** Whether every test of every file was selected. */
  protected async isComplete(): Promise<boolean> {
    const all = await this.#vitest?.globTestSpecifications()
    return this.#files === all?.length && !this.#vitest?.config.testNamePattern
  }
}
