// Fails a complete test run if a documented response was never tested: every operation has to have returned each of its
// statuses with each of its codes.
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { TestModule } from "vitest/node"
import type { Document, ResponseDoc } from "../../tools/openapi/documents"
import { CompleteRunReport } from "./complete-run-report"

declare module "vitest" {
  interface TaskMeta {
    /** Responses that the contract check received in the test. */
    coveredResponses?: string[]
  }
}

export default class ContractReport extends CompleteRunReport {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    if (!(await this.isComplete())) return
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const tested = new Set(tests.flatMap((test) => test.meta().coveredResponses ?? []))
    const missing = listUntested(tested)
    if (!missing.length) return
    console.error(
      `\nDocumented responses that no test has received:\n${missing.map((line) => `  ${line}`).join("\n")}\n`,
    )
    process.exitCode = 1
  }
}

/** Lists the documented responses that no test has received: `<api> <operation> <status>`, and the code of an error. */
function listUntested(tested: ReadonlySet<string>): string[] {
  const documented = ["platform", "content", "license"].flatMap((name) => listResponses(name))
  return documented.filter((line) => !tested.has(line)).sort()
}

function listResponses(name: string): string[] {
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
