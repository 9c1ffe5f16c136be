// docs/operations/benchmarks.md names the machine and the day of every measurement.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { parseSections } from "../../bench/lib/report"

test("every part of the benchmarks page names its machine and day", () => {
  const parts = parseSections(readFileSync("docs/operations/benchmarks.md", "utf8"))
  expect(parts.size).toBeGreaterThan(0)
  for (const [topic, text] of parts) expect(text, topic).toMatch(/load [\d.]+, \d{4}-\d\d-\d\d\.$/)
})
