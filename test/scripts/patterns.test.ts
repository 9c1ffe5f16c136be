// D1 refuses a LIKE or GLOB pattern of more than 50 bytes, so that no pattern in src is made of a parameter.
import { globSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

/** Drizzle's functions, and SQL in which a value follows the operator. */
const PATTERN_OF_A_VALUE = /\b(?:not)?i?like\(|\b(?:like|glob)\s+(?:\$\{|\?)/gi

const found = (text: string) => [...text.matchAll(PATTERN_OF_A_VALUE)].map(([match]) => match)

test("no query of src has a LIKE or GLOB pattern that a value is part of", () => {
  const texts = globSync("src/**/*.{ts,tsx}").map((file) => ({ file, text: readFileSync(file, "utf8") }))
  const querying = texts.filter(({ text }) => text.includes('from "drizzle-orm'))
  expect(querying.length).toBeGreaterThan(150)
  const wrong = querying.flatMap(({ file, text }) => found(text).map((match) => `${file}: ${match}`))
  expect(wrong).toEqual([])
})

test.each(["like(error, text)", "ilike(name, q)", "notLike(a, b)", "name like ?", "name GLOB ?"])(
  "a query that says %s is found",
  (text) => expect(found(text)).toHaveLength(1),
)
