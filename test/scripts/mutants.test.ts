// The list of mutants stays up to date with the code and the tests.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { root } from "../../tools/lib/project"
import { applyMutant, countOccurrences, MUTANTS } from "../../tools/mutants/mutants"

const all = Object.values(MUTANTS).flat()

test("names each mutant once", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
})

describe.each(all.map((mutant) => [mutant.name, mutant] as const))("%s", (_, mutant) => {
  test("replaces a text that occurs once in its file by another one", () => {
    expect(countOccurrences(readFileSync(join(root, mutant.file), "utf8"), mutant)).toBe(1)
    expect(mutant.replace).not.toBe(mutant.find)
  })

  test("names test files that exist", () => {
    expect(mutant.tests.length).toBeGreaterThan(0)
    for (const file of mutant.tests) expect(existsSync(join(root, file)), file).toBe(true)
  })
})

test("applies a mutant literally, and throws when its text occurs never or twice", () => {
  const mutant = { name: "x", file: "x.ts", find: "a < b", replace: "$& > $1", tests: [] }
  expect(applyMutant("if (a < b)", mutant)).toBe("if ($& > $1)")
  for (const source of ["", "a < b < a < b"]) expect(() => applyMutant(source, mutant)).toThrow("times instead of once")
})
