// The rule against retired identifiers; test/lint breaks every other rule.
import { expect, test } from "vitest"
import { lint } from "../../tools/lint/lint.ts"
import { wordsOf } from "../../tools/lint/retired-identifiers.ts"
import { RETIRED_NAMES } from "../../tools/lint/retired-names.ts"

const violationsOf = (text: string) => lint(new Map([["src/lib/a.ts", text]]))

test("splits camel case and upper case into words", () => {
  expect(["keptAnswers", "MAX_KEPT", "HTTPError"].map(wordsOf)).toEqual([
    ["kept", "answers"],
    ["max", "kept"],
    ["http", "error"],
  ])
})

test("rejects a retired identifier with its replacement", () => {
  expect(violationsOf("const x = 1\nexport const bookkeep = x")).toEqual([
    { file: "src/lib/a.ts", line: 2, rule: expect.stringContaining("use writeUnaudited"), found: "bookkeep" },
  ])
  for (const name of Object.keys(RETIRED_NAMES)) expect(violationsOf(`f.${name}()`), name).toHaveLength(1)
})

test("rejects an identifier that contains a retired word, and ignores comments and strings", () => {
  expect(violationsOf("const untoldChange = 1")).toHaveLength(1)
  expect(violationsOf(`const told = \`\${told} told\` // told`)).toHaveLength(2)
  expect(violationsOf('const a = "told"')).toEqual([])
})
