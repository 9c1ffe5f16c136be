// Tests that every exception of `src/db/site-scope.ts` is used. The compiler rejects the use of one that does not
// exist.
import { readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { expect, test } from "vitest"

const SOURCE = resolve(import.meta.dirname, "../../src")

test("uses every exception that allows statements across sites", () => {
  const scope = readFileSync(resolve(SOURCE, "db/site-scope.ts"), "utf8")
  const list = /const EXCEPTIONS = \{([\s\S]*?)\} as const/.exec(scope)?.[1] ?? ""
  const names = [...list.matchAll(/^ {2}(\w+): "/gm)].map(([, name]) => name)
  const code = readdirSync(SOURCE, { recursive: true })
    .map(String)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(resolve(SOURCE, path), "utf8"))
    .join("\n")
  expect(names.length).toBeGreaterThan(0)
  // Only `acrossSites` may claim an exception.
  expect(code.split("/* across sites").length).toBe(2)
  expect(names.filter((name) => !code.includes(`acrossSites("${name}")`))).toEqual([])
})
