// D1 refuses a LIKE or GLOB pattern of more than 50 bytes, so that no pattern in src is made of a parameter.
import { globSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

/** Drizzle's functions, and SQL in which a value follows the operator. */
const PATTERN_FROM_VALUE = /\b(?:not)?i?like\(|\b(?:like|glob)\s+(?:\$\{|\?)/gi

const findPatterns = (text: string) => [...text.matchAll(PATTERN_FROM_VALUE)].map(([match]) => match)

test("no query in src has a LIKE or GLOB pattern with user input", () => {
  const texts = globSync("src/**/*.{ts,tsx}").map((file) => ({ file, text: readFileSync(file, "utf8") }))
  const querying = texts.filter(({ text }) => text.includes('from "drizzle-orm'))
  expect(querying.length).toBeGreaterThan(150)
  const violations = querying.flatMap(({ file, text }) => findPatterns(text).map((match) => `${file}: ${match}`))
  expect(violations).toEqual([])
})

test.each(["like(error, text)", "ilike(name, q)", "notLike(a, b)", "name like ?", "name GLOB ?"])(
  "a query that says %s is found",
  (text) => expect(findPatterns(text)).toHaveLength(1),
)
