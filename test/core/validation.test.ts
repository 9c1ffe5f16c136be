// The validation of short texts and prose.
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { timestamp } from "../../src/content/blog/fields"
import {
  dateOrTime,
  fieldErrors,
  multilineText,
  queryTimestamp,
  text,
  timestampInput,
} from "../../src/core/http/validation"
import { measureFastest } from "../support/timing"

const field = z.object({ name: text({ max: 120 }) })
const long = text({ min: 2, max: 120 })

const listFailedRules = (name: string) => {
  const { error } = field.safeParse({ name })
  return error ? fieldErrors(error, { name }).name?.map(({ rule }) => rule) : []
}

const matchesDocumentedPattern = (schema: z.ZodType, value: string) =>
  new RegExp(schema.meta()?.pattern as string, "u").test(value)

const HIDDEN = {
  "a C1 control character": [0x80, 0x85, 0x9b, 0x9f],
  "a zero-width character": [0x200b, 0x2060, 0x2064, 0xfeff],
  "a bidi mark": [0x061c, 0x200e, 0x200f],
  "a bidi override or embedding": [0x202a, 0x202d, 0x202e],
  "a bidi isolate": [0x2066, 0x2067, 0x2068, 0x2069],
  "a line or paragraph separator": [0x2028, 0x2029],
  "a tag character": [0xe0001, 0xe0041, 0xe007f],
  "a filler": [0x034f, 0x115f, 0x1160, 0x17b4, 0x180e, 0x3164, 0xffa0, 0xfffa],
  "a joiner between Latin letters": [0x200c, 0x200d],
  "a tab or a line break": [0x09, 0x0a, 0x0d],
}

const FLAG_OF_WALES = "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}"

const NAMES = [
  `${FLAG_OF_WALES} Siop ${FLAG_OF_WALES}`,
  "🏴‍☠️",
  "Zoë’s Bücher – 100 %",
  "👩‍👩‍👧 Family",
  "🏳️‍🌈",
  "👩🏽‍🚀",
  "می‌خواهم",
  "क्‍ष",
  "שלום עולם",
  "متجر",
  "Cửa hàng",
]

describe("text", () => {
  test.each(Object.entries(HIDDEN))("rejects %s with rule `format`", (_, points) => {
    for (const point of points) {
      const name = `Al${String.fromCodePoint(point)}ice`
      expect.soft(listFailedRules(name), point.toString(16)).toEqual(["format"])
    }
  })

  test("accepts emoji, right-to-left scripts, and joiners where a script needs them", () => {
    for (const name of NAMES) {
      expect.soft(listFailedRules(name), name).toEqual([])
      expect.soft(matchesDocumentedPattern(field.shape.name, name), name).toBe(true)
      expect.soft(matchesDocumentedPattern(long, name), name).toBe(true)
    }
  })

  test("rejects a joiner at an end, next to another joiner, or next to a space", () => {
    for (const name of ["می\u200c", "\u200dمی", "م\u200c\u200dی", "می \u200cخ", "می\u200c خ"]) {
      expect.soft(listFailedRules(name), name).toEqual(["format"])
    }
  })

  test("rejects tag characters outside of a flag", () => {
    for (const name of ["a\u{e0067}", `🏴${"\u{e0067}".repeat(7)}`, `${FLAG_OF_WALES}\u{e0067}`]) {
      expect.soft(listFailedRules(name), name).toEqual(["format"])
    }
  })

  test.each([text, multilineText])("validates %o in linear time", async (kind) => {
    const changelog = kind({ max: 200_000 })
    for (const unit of ["é\u200d", "é", " ", "a", "\n", "é\u200dé", "🏴\u{e0067}", "\u{e0067}", "\u200b"]) {
      const value = unit.repeat(200_000 / unit.length)
      const ms = await measureFastest(500, () => changelog.safeParse(value))
      expect.soft(ms, unit).toBeLessThanOrEqual(500)
    }
  })
})

test.each([text, multilineText])(
  "documents a portable pattern that rejects control characters and blank text: %o",
  (kind) => {
    for (const schema of [kind({ max: 120 }), kind({ min: 2, max: 120 })]) {
      for (const value of ["a\u0000b", "a\u001bb", "a\u007fb", "", "  "])
        expect.soft(matchesDocumentedPattern(schema, value), value).toBe(false)
      expect.soft(schema.meta()?.pattern).not.toMatch(/\\[pu]|\(\?[=!<]/)
    }
  },
)

describe("prose", () => {
  const comment = multilineText({ max: 500 })

  test("accepts bidi marks, zero-width spaces, line separators and flags", () => {
    for (const value of [
      "שלום\u200f!",
      "soft\u200bbreak",
      "one\u2028two",
      "\ufeffpasted",
      FLAG_OF_WALES,
      "多行\ttwo\r\nlines",
      ...NAMES,
    ]) {
      expect.soft(comment.safeParse(value).success, value).toBe(true)
      expect.soft(matchesDocumentedPattern(comment, value.trim()), value).toBe(true)
    }
  })

  test("rejects control characters, bidi overrides and isolates, and invisible text", () => {
    for (const value of ["a\u0000", "a\u001b[2J", "a\u0085", "a\u202eb", "a\u2066b", "\u200b", "\u3164 \u200e"]) {
      expect.soft(comment.safeParse(value).success, value).toBe(false)
    }
  })
})

describe("times", () => {
  test.each(Object.entries({ timestampInput, queryTimestamp, dateOrTime, timestamp }))(
    "%s rejects years that have no four digits in UTC with rule `date`",
    (_, schema) => {
      const times = z.object({ at: schema })
      for (const at of ["9999-12-31T23:59:00-14:00", "0001-01-01T00:00:00+14:00"]) {
        const { error } = times.safeParse({ at })
        expect.soft(error && fieldErrors(error, { at }).at, at).toMatchObject([{ rule: "date" }])
      }
      for (const at of ["9999-12-31T23:59:00Z", "0001-01-01T00:00:00Z"])
        expect.soft(times.safeParse({ at }).success, at).toBe(true)
    },
  )
})

test("reports the bounds of a field for numbers beyond those of safe integers", () => {
  const price = z.object({ cents: z.int().min(0).max(100) })
  for (const [cents, error] of [
    [1e308, { rule: "max_value", facts: { max: 100 } }],
    [-1e308, { rule: "min_value", facts: { min: 0 } }],
  ] as const)
    expect(fieldErrors(price.safeParse({ cents }).error as z.core.$ZodError, { cents }).cents).toEqual([error])
})
