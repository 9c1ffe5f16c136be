// File names: sanitizing, splitting and Content-Disposition.
import fc from "fast-check"
import { expect, test } from "vitest"
import { contentDisposition, sanitiseFileName, splitFileName } from "../../src/lib/file-name"

test("turns any text into a name of 1 to 200 characters without path, control or direction characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      const name = sanitiseFileName(text)
      expect([...name].length).toBeGreaterThan(0)
      expect([...name].length).toBeLessThanOrEqual(200)
      expect(name).not.toMatch(/[/\\<>:"|?*\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
      expect(name).not.toMatch(/^[. ]|[. ]$/)
      expect(name.isWellFormed()).toBe(true)
      expect(sanitiseFileName(name)).toBe(name)
      expect(() => new Headers({ a: contentDisposition("inline", name) })).not.toThrow()
    }),
    { numRuns: 500 },
  )
})

test("splits a name before its last dot, unless it is leading, trailing or too far from the end", () => {
  const table: [name: string, stem: string, extension: string][] = [
    ["a.txt", "a", ".txt"],
    ["a.tar.gz", "a.tar", ".gz"],
    ["a", "a", ""],
    [".hidden", ".hidden", ""],
    ["a.", "a.", ""],
    [`a.${"x".repeat(30)}`, `a.${"x".repeat(30)}`, ""],
  ]
  for (const [name, stem, extension] of table) expect(splitFileName(name), name).toEqual({ stem, extension })
})

test("encodes any name in Content-Disposition, in ASCII and in extended form", () => {
  expect(contentDisposition("attachment", `naïve "50%" (1)'.txt`)).toBe(
    "attachment; filename=\"na_ve _50__ (1)'.txt\"; filename*=UTF-8''na%C3%AFve%20%2250%25%22%20%281%29%27.txt",
  )
})
