// Builds the stylesheet of a theme and preset: the preset's custom properties, the base styles and the theme's layout.
import { memoize } from "../lib/memo"
import { base } from "./base"
import { themeSources } from "./catalog"
import { minifyCss } from "./css"
import type { Tokens } from "./theme"
import { customProperties } from "./tokens"

/** Builds the stylesheet of a theme with a preset's tokens. */
const stylesheetBuilder = memoize((layout: string) =>
  memoize((tokens: Tokens) => minifyCss(customProperties(tokens) + base + layout)),
)

/**
 * Returns the minified stylesheet of a theme and preset. Built once per isolate.
 * @param theme slug of an installed theme
 * @param preset slug of one of its presets
 * @returns the CSS, or undefined when the theme or preset does not exist or the theme has no stylesheet
 */
export function stylesheet(theme: string, preset: string): string | undefined {
  const layout = themeSources.find(({ slug }) => slug === theme)?.layout
  const tokens = tokensOf(theme, preset)
  return layout && tokens ? stylesheetBuilder(layout)(tokens) : undefined
}

/**
 * Returns the design tokens of a preset, for uses outside the stylesheet such as the icon and the theme color.
 * @param theme slug of an installed theme
 * @param preset slug of one of its presets
 */
export function tokensOf(theme: string, preset: string): Tokens | undefined {
  return themeSources.find(({ slug }) => slug === theme)?.presets.find(({ slug }) => slug === preset)?.tokens
}
