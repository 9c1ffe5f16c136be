// Slugs of hostile names.
import { expect, test } from "vitest"
import { parseIdOrSlug } from "../../src/db/prepared-by-slug"
import { slugify } from "../../src/lib/slug"

test.each([
  ["only combining marks", "\u0301".repeat(40), ""],
  ["marks before a letter", `${"\u0301".repeat(40)}a`, "a"],
  ["more marks than any language has", `\u0e01${"\u0e48".repeat(40)}`, `\u0e01${"\u0e48".repeat(30)}`],
  ["marks of a Latin letter", `e${"\u0301".repeat(400)}`, "e"],
])("a row is found by the slug of a name with %s", (_, name, slug) => {
  expect(slugify(name)).toBe(slug)
  expect(parseIdOrSlug(slug)).toEqual({ by: "slug", name: slug })
})
