// After a whole run: what the documents promise and no test has seen is a failure. Each operation must have answered with each status
// that it says it does, and told each of its codes.
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Reporter, TestModule, Vitest } from "vitest/node"
import type { Document, ResponseDoc } from "../../tools/openapi/documents"

declare module "vitest" {
  interface TaskMeta {
    /** What the contract's check saw in the test. */
    seen?: string[]
  }
}

export default class ContractReport implements Reporter {
  #vitest: Vitest | undefined
  #files = 0

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#files = specifications.length
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    // A part of the suite sees a part of the contract.
    const whole = await this.#vitest?.globTestSpecifications()
    if (this.#files !== whole?.length || this.#vitest?.config.testNamePattern) return
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const seen = new Set(tests.flatMap((test) => test.meta().seen ?? []))
    const missing = unseen(seen)
    if (!missing.length) return
    console.error(`\nThe documents promise what no test has seen:\n${missing.map((line) => `  ${line}`).join("\n")}\n`)
    process.exitCode = 1
  }
}

/** What is promised and not seen: `<api> <operation> <status>` of answers, and with its code of refusals. */
function unseen(seen: ReadonlySet<string>): string[] {
  const promised = ["platform", "content", "license"].flatMap((name) => promisesOf(name))
  return promised.filter((line) => !seen.has(line)).sort()
}

function promisesOf(name: string): string[] {
  const document = JSON.parse(
    readFileSync(resolve(import.meta.dirname, `../../openapi/${name}.json`), "utf8"),
  ) as Document
  const shared = document.components.responses as Record<string, ResponseDoc>
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
  return operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const { content } = shared[response.$ref?.split("/").at(-1) ?? ""] ?? response
      if (Number(status) < 400) return [`${name} ${operationId} ${status}`]
      return Object.keys(content?.["application/json"]?.examples ?? {}).map(
        (code) => `${name} ${operationId} ${status} ${code}`,
      )
    }),
  )
}
