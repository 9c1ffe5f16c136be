// After a whole run: what the documents promise and no test has seen is a failure. Each operation must have answered as it says it
// does, and each code must have been told.
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Reporter, TestModule, Vitest } from "vitest/node"
import type { Document, ResponseDoc } from "../../scripts/openapi/documents"

/** Promises that no test can see kept, and why. */
const EXCEPTIONS: Record<string, string> = {
  "content categories.get 304": "the middleware of posts, which are seen",
  "content offline_disabled": "orders of the owner while bank transfers are off: the verb's own test sees it",
  "license key_expired": "said in the words of an unknown key to those who cannot tell them apart",
  "license oldClient.download 206": "the handler of updates.download, which is seen",
  "license oldClient.downloadMain 206": "the handler of updates.download, which is seen",
  "license oldClient.sizeByPost 200": "the handler of updates.size, which is seen",
  "license oldClient.sizeOfMainByPost 200": "the handler of updates.size, which is seen",
}

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

/** What is promised and not seen: `<api> <operation> <status>` of answers, `<api> <code>` of refusals. */
function unseen(seen: ReadonlySet<string>): string[] {
  const answers = new Set([...seen].map((line) => line.split(" ").slice(0, 3).join(" ")))
  const codes = new Set([...seen].map((line) => `${line.split(" ")[0]} ${line.split(" ")[3]}`))
  const promised = ["platform", "content", "license"].flatMap((name) => promisesOf(name))
  return [...new Set(promised)].filter((line) => !answers.has(line) && !codes.has(line) && !(line in EXCEPTIONS)).sort()
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
      return Object.keys(content?.["application/json"]?.examples ?? {}).map((code) => `${name} ${code}`)
    }),
  )
}
