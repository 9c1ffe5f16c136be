import { describe, expect, it } from "vitest"
import { stylesheet, tokensOf } from "../../src/themes/assets"
import { themes } from "../../src/themes/catalog"
import type { Tokens } from "../../src/themes/theme"
import { contrast } from "./contrast"

const looks = themes.flatMap((theme) => theme.presets.map((preset) => [theme.slug, preset.slug] as const))

/** Text colour, what is behind it, and the least contrast: AAA for running text, AA for the rest. */
const LEGIBLE: [text: Colour, behind: Colour, least: number][] = [
  ["ink", "ground", 7],
  ["ink", "surface", 7],
  ["muted", "ground", 4.5],
  ["muted", "surface", 4.5],
  ["accent", "ground", 4.5],
  ["accent", "surface", 4.5],
  ["onAccent", "accent", 4.5],
]
type Colour = "ink" | "muted" | "accent" | "onAccent" | "ground" | "surface"

const tokensIn = (theme: string, preset: string): Tokens => {
  const tokens = tokensOf(theme, preset)
  if (!tokens) throw new Error(`No tokens of ${theme} in ${preset}`)
  return tokens
}

describe("stylesheet", () => {
  it("is there for every preset of every theme, with braces that match", () => {
    for (const [theme, preset] of looks) {
      const css = stylesheet(theme, preset) ?? ""
      expect.soft(css.length, `${theme} ${preset}`).toBeGreaterThan(5000)
      expect.soft(css.split("{").length, `${theme} ${preset}`).toBe(css.split("}").length)
    }
  })

  it("fetches nothing and cannot end its style element", () => {
    for (const look of looks) expect.soft(stylesheet(...look), `${look}`).not.toMatch(/url\(|@import|@font-face|<\//i)
  })

  it("uses no custom property that nobody sets", () => {
    for (const look of looks) {
      const css = stylesheet(...look) ?? ""
      const set = new Set([...css.matchAll(/(--[a-z0-9-]+):/g)].map((match) => match[1]))
      const used = new Set([...css.matchAll(/var\((--[a-z0-9-]+)/g)].map((match) => match[1]))
      expect.soft([...used.difference(set)], `${look}`).toEqual([])
    }
  })

  it("differs between any two looks, in colours and in at least one typeface a theme", () => {
    expect(new Set(looks.map((look) => stylesheet(...look))).size).toBe(looks.length)
    for (const theme of themes.filter((each) => each.published)) {
      const tokens = theme.presets.map((preset) => tokensIn(theme.slug, preset.slug))
      expect(new Set(tokens.map((each) => each.ground)).size).toBe(tokens.length)
      expect(new Set(tokens.map((each) => each.display)).size).toBeGreaterThan(1)
    }
  })

  it("is missing for a theme or preset that is not installed", () => {
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
  it("reaches WCAG AA in every look, AAA for running text", () => {
    for (const [theme, preset] of looks) {
      const tokens = tokensIn(theme, preset)
      for (const [text, behind, least] of LEGIBLE) {
        const label = `${text} on ${behind} in ${theme} ${preset}`
        expect.soft(contrast(tokens[text], tokens[behind]), label).toBeGreaterThanOrEqual(least)
      }
    }
  })

  it("reaches AA where bazaar writes on its coloured panels", () => {
    for (const preset of ["saffron", "fiesta", "citrus"]) {
      const { ink, art } = tokensIn("bazaar", preset)
      expect.soft(contrast(ink, art[0]), preset).toBeGreaterThanOrEqual(4.5)
    }
  })
})
