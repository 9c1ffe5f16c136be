// Stylesheets and contrast of every theme and preset.
import { describe, expect, it } from "vitest"
import { stylesheet, tokensOf } from "../../src/themes/assets"
import { themes } from "../../src/themes/catalog"
import type { Tokens } from "../../src/themes/theme"
import { contrast } from "./contrast"

const appearances = themes.flatMap((theme) => theme.presets.map((preset) => [theme.slug, preset.slug] as const))

/** Text color, background and minimum contrast: AAA for running text, AA for the rest. */
const CONTRAST_RULES: [text: Colour, background: Colour, minimum: number][] = [
  ["ink", "ground", 7],
  ["ink", "surface", 7],
  ["muted", "ground", 4.5],
  ["muted", "surface", 4.5],
  ["accent", "ground", 4.5],
  ["accent", "surface", 4.5],
  ["onAccent", "accent", 4.5],
]
type Colour = "ink" | "muted" | "accent" | "onAccent" | "ground" | "surface"

const getTokens = (theme: string, preset: string): Tokens => {
  const tokens = tokensOf(theme, preset)
  if (!tokens) throw new Error(`No tokens of ${theme} in ${preset}`)
  return tokens
}

describe("stylesheet", () => {
  it("a stylesheet exists for every preset of every theme, with matching braces", () => {
    for (const [theme, preset] of appearances) {
      const css = stylesheet(theme, preset) ?? ""
      expect.soft(css.length, `${theme} ${preset}`).toBeGreaterThan(5000)
      expect.soft(css.split("{").length, `${theme} ${preset}`).toBe(css.split("}").length)
    }
  })

  it("a stylesheet loads no resources and cannot end its style element", () => {
    for (const appearance of appearances)
      expect.soft(stylesheet(...appearance), `${appearance}`).not.toMatch(/url\(|@import|@font-face|<\//i)
  })

  it("a stylesheet uses only custom properties that are defined", () => {
    for (const appearance of appearances) {
      const css = stylesheet(...appearance) ?? ""
      const set = new Set([...css.matchAll(/(--[a-z0-9-]+):/g)].map((match) => match[1]))
      const used = new Set([...css.matchAll(/var\((--[a-z0-9-]+)/g)].map((match) => match[1]))
      expect.soft([...used.difference(set)], `${appearance}`).toEqual([])
    }
  })

  it("stylesheets differ between any two presets, with at least two display typefaces per theme", () => {
    expect(new Set(appearances.map((appearance) => stylesheet(...appearance))).size).toBe(appearances.length)
    for (const theme of themes.filter((each) => each.published)) {
      const tokens = theme.presets.map((preset) => getTokens(theme.slug, preset.slug))
      expect(new Set(tokens.map((each) => each.ground)).size).toBe(tokens.length)
      expect(new Set(tokens.map((each) => each.display)).size).toBeGreaterThan(1)
    }
  })

  it("returns undefined for a theme or preset that is not installed", () => {
    const missing = [
      ["unknown", "linen"],
      ["atelier", "ember"],
      ["atelier", ""],
      ["", ""],
      ["__proto__", "constructor"],
    ] as const
    for (const [theme, preset] of missing) {
      expect.soft(stylesheet(theme, preset)).toBeUndefined()
      expect.soft(tokensOf(theme, preset)).toBeUndefined()
    }
  })
})

describe("contrast", () => {
  it("text reaches WCAG AA contrast in every appearance, AAA for running text", () => {
    for (const [theme, preset] of appearances) {
      const tokens = getTokens(theme, preset)
      for (const [text, background, minimum] of CONTRAST_RULES) {
        const label = `${text} on ${background} in ${theme} ${preset}`
        expect.soft(contrast(tokens[text], tokens[background]), label).toBeGreaterThanOrEqual(minimum)
      }
    }
  })

  it("text on the coloured panels of bazaar reaches WCAG AA contrast", () => {
    for (const preset of ["saffron", "fiesta", "citrus"]) {
      const { ink, art } = getTokens("bazaar", preset)
      expect.soft(contrast(ink, art[0]), preset).toBeGreaterThanOrEqual(4.5)
    }
  })
})
