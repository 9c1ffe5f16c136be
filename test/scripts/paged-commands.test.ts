// Commands that read all pages: verifications with the problems of each, and the export of events.
import { expect, test } from "vitest"
import { runBackfill } from "../../tools/cli/backfill"
import { exportEvents } from "../../tools/cli/export"
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

test("writes the events of all pages of an export, one per line", async () => {
  const pages = [
    { events: ['{"id":"1"}', '{"id":"2"}'], next: "object-2" },
    { events: [], next: "seq-500" },
    { events: ['{"id":"3"}'], next: null },
  ]
  const sent: object[] = []
  const runCommand: RunCommand = async (_, options) => {
    sent.push(options)
    return pages.shift() as never
  }
  let written = ""
  await exportEvents({ since: "2026-03-01" }, runCommand, (lines) => {
    written += lines
  })
  expect(written).toBe('{"id":"1"}\n{"id":"2"}\n{"id":"3"}\n')
  expect(sent).toEqual([
    { since: "2026-03-01" },
    { since: "2026-03-01", after: "object-2" },
    { since: "2026-03-01", after: "seq-500" },
  ])
})

test("repeats a backfill until it is done", async () => {
  const page = { name: "compress-events", last: 451 }
  const pages = [
    { ...page, position: 300, checked: 300, changed: 2, done: false },
    { ...page, position: 451, checked: 451, changed: 5, done: true },
  ]
  const shown: string[] = []
  const stream = { isTTY: true, columns: 120, write: (text: string) => shown.push(text) > 0 } as never
  const runCommand: RunCommand = async () => pages.shift() as never
  const result = await runBackfill({ name: "compress-events" }, runCommand, stream)
  expect(result).toEqual({ name: "compress-events", checked: 451, changed: 5 })
  expect(shown.join("")).toContain("300/451")
})
