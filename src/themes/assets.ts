// Builds the stylesheet of a theme and preset: the preset's custom properties, the base styles and the theme's layout.
import { base } from "./base"
import { themeSources } from "./catalog"
import { minifyCss } from "./css"
import type { Tokens } from "./theme"
import { customProperties } from "./tokens"

const stylesheets = new Map<string, string>()

/**
 * Returns the minified stylesheet of a theme and preset. Built once per isolate.
 * @param theme slug of an installed theme
 * @param preset slug of one of its presets
 * @returns the CSS, or undefined when the theme or preset does not exist or the theme has no stylesheet
 */
export function stylesheet(theme: string, preset: string): string | undefined {
  const source = themeSources.find(({ slug }) => slug === theme)
  const tokens = tokensOf(theme, preset)
  if (!source?.layout || !tokens) return undefined
  const key = `${theme}/${preset}`
  const cached = stylesheets.get(key)
  if (cached) return cached
  const css = minifyCss(customProperties(tokens) + base + source.layout)
  stylesheets.set(key, css)
  return css
}

/**
 * Returns the design tokens of a preset, for uses outside the stylesheet such as the icon and the theme colour.
 * @param theme slug of an installed theme
 * @param preset slug of one of its presets
 */
export function tokensOf(theme: string, preset: string): Tokens | undefined {
  return themeSources.find(({ slug }) => slug === theme)?.presets.find(({ slug }) => slug === preset)?.tokens
}
