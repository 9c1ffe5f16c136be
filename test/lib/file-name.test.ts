// File names: whatever comes in, what goes out can be stored, shown and sent in a header.
import fc from "fast-check"
import { expect, test } from "vitest"
import { contentDisposition, sanitiseFileName, splitFileName } from "../../src/lib/file-name"

test("any text becomes a name of 1 to 200 characters without a path, a control character or a change of direction", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (given) => {
      const name = sanitiseFileName(given)
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

test("a name is parted before its last dot, unless that begins it, ends it or leaves too much behind it", () => {
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

test("a Content-Disposition carries any name, in ASCII and whole", () => {
  expect(contentDisposition("attachment", `naïve "50%" (1)'.txt`)).toBe(
    "attachment; filename=\"na_ve _50__ (1)'.txt\"; filename*=UTF-8''na%C3%AFve%20%2250%25%22%20%281%29%27.txt",
  )
})
