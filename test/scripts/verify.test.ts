// `audit:verify` reads all pages of a verification, and reports the problems of each.
import { expect, test } from "vitest"
import { verifyAll } from "../../tools/cli/verify"
import type { RunCommand } from "../../tools/cli/watch"

test("continues a verification at the position that the page returned, and collects the problems of all pages", async () => {
  const problem = { object: "audit/2026-08/3f/1", problem: "missing", detail: "the bucket has no such object" }
  const sent: object[] = []
  const pages = [
    { log: "audit", objects: 100, entries: 900, problems: [problem], next: "3f-7-100-900" },
    { log: "audit", objects: 120, entries: 1_000, problems: [], next: null },
  ]
  const runCommand: RunCommand = async (name, options) => {
    sent.push({ name, ...options })
    return pages.shift() as never
  }
  const result = await verifyAll("audit:verify", {}, runCommand)
  expect(result).toEqual({ log: "audit", objects: 120, entries: 1_000, problems: [problem] })
  expect(sent).toEqual([{ name: "audit:verify" }, { name: "audit:verify", after: "3f-7-100-900" }])
})
