// The stylesheet of a theme and preset: base, then the theme's layout, under the preset's custom properties.
import { base } from "./base"
import { themeSources } from "./catalog"
import { compact } from "./css"
import type { Tokens } from "./theme"
import { customProperties } from "./tokens"

const composed = new Map<string, string>()

/**
 * The whole stylesheet of a look, compact, as it stands in the page. Composed once an isolate.
 * @param theme slug of an installed theme
 * @param preset slug of one of its presets
 * @returns the CSS text, or undefined when the asset is missing: no such theme, no such preset in it, or no stylesheet to the theme
 */
export function stylesheet(theme: string, preset: string): string | undefined {
  const source = themeSources.find(({ slug }) => slug === theme)
  const tokens = tokensOf(theme, preset)
  if (!source?.layout || !tokens) return undefined
  const key = `${theme}/${preset}`
  const known = composed.get(key)
  if (known) return known
  const css = compact(customProperties(tokens) + base + source.layout)
  composed.set(key, css)
  return css
}

/**
 * @param theme slug of an installed theme
 * @param preset slug of one of its presets
 * @returns the values behind the stylesheet, for what stands outside of it (browser chrome, icon), or undefined
 */
export function tokensOf(theme: string, preset: string): Tokens | undefined {
  return themeSources.find(({ slug }) => slug === theme)?.presets.find(({ slug }) => slug === preset)?.tokens
}
