// Every figure that the README gives of the platform's speed and size is one that docs/benchmarks.md has, in the part it is of.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { partsOf } from "../../bench/lib/report"

const page = readFileSync("docs/benchmarks.md", "utf8")
const readme = readFileSync("README.md", "utf8")

/** A number with what it counts. */
const FIGURE = /\d[\d ]*(?:\.\d+)? (?:KB|ms|MB|%|a second|rows)(?![\w-])/g

/** The figures of the README's part about costs. */
const claims = (text: string): string[] =>
  (/^## What it costs\n(.*?)^## /ms.exec(text)?.[1]?.match(FIGURE) ?? []).map((figure) => figure.trim())

test("the README's figures are in docs/benchmarks.md", () => {
  const known = new Set(page.replaceAll("|", " ").match(FIGURE) ?? [])
  expect(claims(readme).filter((figure) => !known.has(figure))).toEqual([])
  expect(claims(readme).length).toBeGreaterThan(0)
})

test("every part names the machine and the day", () => {
  const parts = partsOf(page)
  expect(parts.size).toBeGreaterThan(0)
  for (const [topic, text] of parts)
    expect([topic, /load [\d.]+, \d{4}-\d\d-\d\d\.$/.test(text)]).toEqual([topic, true])
})

test("a figure that nobody measured is found", () => {
  expect(claims("## What it costs\nIt takes 12 345 ms and 7 KB.\n\n## Next\n9 ms\n")).toEqual(["12 345 ms", "7 KB"])
})
