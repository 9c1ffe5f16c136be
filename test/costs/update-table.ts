// A reporter that writes the measured costs to test/costs/table.json and prints what changed; `npm run costs:update`.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Reporter, TestCase, TestModule } from "vitest/node"
import { type CostTable, formatCostTable } from "../../tools/lib/cost-table"
import { HINT } from "./hint"

const FILE = join(import.meta.dirname, "table.json")

export default class UpdateTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const errors = [...modules.flatMap((module) => module.errors()), ...tests.flatMap(listErrors)]
    if (errors.length) {
      console.error("The table is unchanged, because not everything could be measured:")
      for (const { message, stack } of errors) console.error(stack ?? message)
      process.exitCode = 1
      return
    }
    const table: CostTable = { columns: [], requests: {}, deliveries: {}, records: {}, bytes: {} }
    const rows = tests.flatMap((test) => test.meta().cost ?? [])
    for (const { section, name, row } of rows.sort((a, b) => a.position - b.position))
      Object.assign(table[section], { [name]: row })
    const before = readFileSync(FILE, "utf8").split("\n")
    const text = formatCostTable(table)
    const after = text.split("\n")
    for (const line of before) if (!after.includes(line)) console.log(`- ${line.trim()}`)
    for (const line of after) if (!before.includes(line)) console.log(`+ ${line.trim()}`)
    writeFileSync(FILE, text)
  }
}

/** Lists the errors of a test, except that it differs from the table. */
const listErrors = (test: TestCase) => (test.result().errors ?? []).filter(({ message }) => !message.includes(HINT))
