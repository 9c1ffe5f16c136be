import { expect, test } from "vitest"
import { escapeFormulas, parseCsv, unescapeFormulas } from "../../src/lib/csv"

/** Lists every text of up to `length` of the characters. */
function* listTexts(characters: readonly string[], length: number): Generator<string> {
  yield ""
  if (length === 0) return
  for (const rest of listTexts(characters, length - 1)) for (const character of characters) yield character + rest
}

test("returns the text of a cell unchanged after it was escaped and unescaped", () => {
  const characters = ["'", '"', "=", "-", ";", "\r", "\n", "\t", " ", "\ufeff", "x"]
  const changed = [...listTexts(characters, 5)].filter((text) => unescapeFormulas(escapeFormulas(text)) !== text)
  expect(changed.slice(0, 10)).toEqual([])
})

test("unescapes paragraphs, numbers after separators, and apostrophes that were typed", () => {
  for (const text of ["One\r\n\r\nTwo\n\n- three", "Mug, -20 %", "'=1", "x; '-1", "''+1", "rock 'n' roll", "'tis"]) {
    const [[cell] = []] = parseCsv(`"${escapeFormulas(text).replaceAll('"', '""')}"`)
    expect.soft(unescapeFormulas(cell ?? "")).toBe(text)
  }
})

test("leaves apostrophes without a formula in place", () => {
  for (const text of ["'tis", "Mug, 'blue'", "x\n'y"]) expect.soft(unescapeFormulas(text)).toBe(text)
})
