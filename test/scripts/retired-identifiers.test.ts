// The rule against retired identifiers.
import { expect, test } from "vitest"
import { identifiersOf } from "../../tools/lint/identifiers.ts"
import { retiredIdentifiers, wordsOf } from "../../tools/lint/retired-identifiers.ts"
import { RETIRED_NAMES } from "../../tools/lint/retired-names.ts"

const namesIn = (text: string) => identifiersOf(text).map(({ name }) => name)

test("lists identifiers, and ignores comments, strings and regular expressions", () => {
  const text = "const a = /b[/]c/.test(`d ${e.f} g`) /* h */ ? 'i' : \"j\" // k"
  expect(namesIn(text)).toEqual(["const", "a", "test", "e", "f"])
})

test("reports the line of an identifier behind a template with several lines", () => {
  expect(identifiersOf("`a\n${b}\n`\nc")).toEqual([
    { name: "b", line: 2 },
    { name: "c", line: 4 },
  ])
})

test("splits camel case and upper case into words", () => {
  expect(["keptAnswers", "MAX_KEPT", "HTTPError"].map(wordsOf)).toEqual([
    ["kept", "answers"],
    ["max", "kept"],
    ["http", "error"],
  ])
})

test("rejects a retired identifier with its replacement", () => {
  expect(retiredIdentifiers("src/a.ts", "const x = 1\nexport const bookkeep = x")).toEqual([
    { file: "src/a.ts", line: 2, rule: expect.stringContaining("use writeUnaudited"), imports: "bookkeep" },
  ])
  for (const name of Object.keys(RETIRED_NAMES)) expect(retiredIdentifiers("src/a.ts", name), name).toHaveLength(1)
})

test("rejects an identifier that contains a retired word", () => {
  expect(retiredIdentifiers("src/a.ts", "const untoldChange = 1")).toHaveLength(1)
  expect(retiredIdentifiers("src/a.ts", "const told = 1 // told")).toHaveLength(1)
  expect(retiredIdentifiers("src/a.ts", 'const a = "told"')).toEqual([])
})
