// Types of a theme: its catalog entry and the source of its stylesheet.

/** Preset of a theme: a palette and typefaces for the same layout. */
type Preset = { slug: string; name: string }

/**
 * Catalog entry of a theme. `requires` contains app slugs. Stores cannot choose an unpublished theme or one without
 * assets.
 */
export type Theme = {
  slug: string
  name: string
  description: string
  presets: Preset[]
  requires: string[]
  published: boolean
  /** Whether the theme has a stylesheet. */
  hasAssets: boolean
}

/** A color as `#rrggbb`, so that contrast can be computed from it. */
export type Hex = `#${string}`

/**
 * Design tokens of a preset, the values of the stylesheet's custom properties. Text colors reach WCAG AA (4.5:1) on
 * `ground` and `surface`; tests check every preset.
 */
export type Tokens = {
  scheme: "light" | "dark"
  /** Backgrounds of the page and of panels. */
  ground: Hex
  surface: Hex
  ink: Hex
  /** Secondary text: prices, dates, captions. */
  muted: Hex
  /** Hairlines; decorative, so without a contrast requirement. */
  line: Hex
  /** Links, buttons and focus rings, and the text on buttons. */
  accent: Hex
  onAccent: Hex
  /** Colours of generated art, background first. */
  art: readonly [ground: Hex, deep: Hex, middle: Hex, pale: Hex, spark: Hex]
  /** Font stacks of headings and of running text. */
  display: string
  text: string
}

/** Source of a theme: the catalog entry, the tokens of each preset, and the rules on top of the base styles. */
export type ThemeSource = Omit<Theme, "presets" | "hasAssets"> & {
  presets: readonly (Preset & { tokens: Tokens })[]
  /** Null for a theme that is announced or was removed. Stores with such a theme are shown in the default theme. */
  layout: string | null
}
