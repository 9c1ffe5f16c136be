import { describe, expect, test } from "vitest"
import * as z from "zod"
import { fieldFaults, text } from "../../src/core/validation"

const field = z.object({ name: text({ max: 120 }) })
const long = text({ min: 2, max: 120 })

const rulesOf = (name: string) => {
  const { error } = field.safeParse({ name })
  return error ? fieldFaults(error, { name }).name?.map(({ rule }) => rule) : []
}

const documented = (schema: z.ZodType, value: string) => new RegExp(schema.meta()?.pattern as string, "u").test(value)

const HIDDEN = {
  "a C1 control character": [0x80, 0x85, 0x9b, 0x9f],
  "a zero-width character": [0x200b, 0x2060, 0x2064, 0xfeff],
  "a bidi mark": [0x061c, 0x200e, 0x200f],
  "a bidi override or embedding": [0x202a, 0x202d, 0x202e],
  "a bidi isolate": [0x2066, 0x2067, 0x2068, 0x2069],
  "a line or paragraph separator": [0x2028, 0x2029],
  "a tag character": [0xe0001, 0xe0041, 0xe007f],
  "a joiner between Latin letters": [0x200c, 0x200d],
}

const NAMES = [
  "Zoë’s Bücher – 100 %",
  "👩‍👩‍👧 Family",
  "🏳️‍🌈",
  "👩🏽‍🚀",
  "می‌خواهم",
  "क्‍ष",
  "שלום עולם",
  "متجر",
  "Cửa hàng",
  "多行\nname\ttwo",
]

describe("a text", () => {
  test.each(Object.entries(HIDDEN))(
    "is refused as `format` with %s, by its validator and its document",
    (_, points) => {
      for (const point of points) {
        const name = `Al${String.fromCodePoint(point)}ice`
        expect.soft([point.toString(16), rulesOf(name)]).toEqual([point.toString(16), ["format"]])
        expect.soft([point.toString(16), documented(field.shape.name, name)]).toEqual([point.toString(16), false])
        expect.soft([point.toString(16), documented(long, name)]).toEqual([point.toString(16), false])
      }
    },
  )

  test("takes emoji, right-to-left scripts, and joiners where a script needs them", () => {
    for (const name of NAMES) {
      expect.soft([name, rulesOf(name)]).toEqual([name, []])
      expect.soft([name, documented(field.shape.name, name)]).toEqual([name, true])
      expect.soft([name, documented(long, name)]).toEqual([name, true])
    }
  })

  test("refuses a joiner at an end, beside another joiner, and beside a space", () => {
    for (const name of ["می\u200c", "\u200dمی", "م\u200c\u200dی", "می \u200cخ", "می\u200c خ"]) {
      expect.soft([name, rulesOf(name)]).toEqual([name, ["format"]])
      expect.soft([name, documented(field.shape.name, name)]).toEqual([name, false])
      expect.soft([name, documented(long, name)]).toEqual([name, false])
    }
  })

  test("is checked in time linear in its length", () => {
    const changelog = text({ max: 200_000 })
    for (const unit of ["é\u200d", "é", " ", "a", "\n", "é\u200dé"]) {
      const started = performance.now()
      changelog.safeParse(unit.repeat(200_000 / unit.length))
      expect.soft(performance.now() - started).toBeLessThan(500)
    }
  })
})
