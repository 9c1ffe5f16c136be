// Generated art: deterministic, varied and safe for any name.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { drawMarks } from "../../src/storefront/art/art"
import { compositions } from "../../src/storefront/art/compositions"
import { randomFrom } from "../../src/storefront/art/seed"

describe("generated art", () => {
  it("draws the same picture for the same name and different ones for different names", () => {
    expect(drawMarks("Ash-glazed pitcher", 400, 500)).toEqual(drawMarks("Ash-glazed pitcher", 400, 500))
    const names = Array.from({ length: 200 }, (_, at) => `Thing ${at}`)
    expect(new Set(names.map((name) => JSON.stringify(drawMarks(name, 400, 500)))).size).toBe(200)
  })

  it("uses every composition about equally often", () => {
    const counts = compositions.map(() => 0)
    for (let at = 0; at < 4000; at++) {
      const index = Math.floor(randomFrom(`Product ${at}`)() * compositions.length)
      counts[index] = (counts[index] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count - 500)).toBeLessThan(100)
  })

  it("draws a background and small, valid path data for any name", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom([400, 500], [540, 400], [1200, 560]),
        (name, size) => {
          const [width = 0, height = 0] = size
          const marks = drawMarks(name, width, height)
          expect(marks[0]?.path).toBe(`M0 0h${width}v${height}H0z`)
          for (const mark of marks) expect(mark.path).toMatch(/^[MmHhVvLlCcSsQqAaZz0-9 -]+$/)
          expect(JSON.stringify(marks).length).toBeLessThan(6000)
        },
      ),
    )
  })
})
