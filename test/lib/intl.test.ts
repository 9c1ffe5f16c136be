// Formats of sizes.
import { expect, test } from "vitest"
import { size } from "../../src/lib/intl"

test.each([
  ["en", ["999 B", "56.8 KB", "1 MB"]],
  ["es", ["999 B", "56,8 KB", "1 MB"]],
  ["fr", ["999 o", "56,8 Ko", "1 Mo"]],
  ["vi", ["999 B", "56,8 KB", "1 MB"]],
])("formats sizes with the decimal separator and the units of %s", (locale, expected) => {
  expect([999, 56_800, 1_000_000].map((bytes) => size(bytes, locale))).toEqual(expected)
})
