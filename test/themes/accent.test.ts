// The accent color of a shop: readable in every preset, whatever the owner chose.
import { expect, test } from "vitest"
import { withAccent } from "../../src/themes/accent"
import { tokensOf } from "../../src/themes/assets"
import { themes } from "../../src/themes/catalog"
import { contrast } from "./contrast"

const PRESETS = themes.flatMap(({ slug, presets }) => presets.flatMap((preset) => tokensOf(slug, preset.slug) ?? []))

test("makes every accent color readable in every preset, and keeps one that is readable already", () => {
  expect(PRESETS.length).toBeGreaterThan(10)
  for (const tokens of PRESETS) {
    for (const color of [
      "#ffffff",
      "#000000",
      "#ffff00",
      "#ff0000",
      "#00ff00",
      "#0000ff",
      "#808080",
      "#777777",
    ] as const) {
      const { accent, onAccent, ground, surface } = withAccent(tokens, color)
      for (const [text, background] of [
        [accent, ground],
        [accent, surface],
        [onAccent, accent],
      ] as const)
        expect.soft(contrast(text, background), `${color} on ${ground}`).toBeGreaterThanOrEqual(4.5)
      const isReadable = [ground, surface].every((background) => contrast(color, background) >= 4.5)
      expect.soft(accent === color, `${color} on ${ground}`).toBe(isReadable)
    }
    expect(withAccent(tokens, tokens.accent)).toEqual(tokens)
  }
})
