// What a theme is: its entry in the catalog, and the source its stylesheet is composed from.

/** A look within a theme: another palette and other typefaces on the same layout. */
type Preset = { slug: string; name: string }

/** A theme as the catalog lists it. `requires` holds app slugs; one that is unpublished, or has no assets, cannot be chosen. */
export type Theme = {
  slug: string
  name: string
  description: string
  presets: Preset[]
  requires: string[]
  published: boolean
  /** Whether its stylesheet is here. */
  hasAssets: boolean
}

/** A colour as `#rrggbb`, so that contrast can be computed from it. */
export type Hex = `#${string}`

/**
 * The values that a preset gives to the stylesheet's custom properties. Text colours reach WCAG AA (4.5:1) on `ground`
 * and on `surface`; the tests hold every preset to that.
 */
export type Tokens = {
  scheme: "light" | "dark"
  /** The page, and the panels that stand out from it. */
  ground: Hex
  surface: Hex
  ink: Hex
  /** Secondary text: prices, dates, captions. */
  muted: Hex
  /** Hairlines; decorative, so without a contrast of its own. */
  line: Hex
  /** Links, buttons and focus rings, and the text upon a button. */
  accent: Hex
  onAccent: Hex
  /** Generated pictures, from their background to their brightest spot. */
  art: readonly [ground: Hex, deep: Hex, middle: Hex, pale: Hex, spark: Hex]
  /** Font stacks of headings and of running text. */
  display: string
  text: string
}

/** A theme as its file writes it: the catalog entry, the tokens of each preset, and the rules laid over the base. */
export type ThemeSource = Omit<Theme, "presets" | "hasAssets"> & {
  presets: readonly (Preset & { tokens: Tokens })[]
  /** Null for a theme that is announced, or was taken out: stores that have it are shown in the default theme. */
  layout: string | null
}
