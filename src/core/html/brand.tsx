// The platform's appearance: its colors, typeface, logo and icon. Every page and mail of the platform uses them; the
// storefronts have the colors of their themes.

/** Colors in light and in dark mode. Text colors reach WCAG AA on `ground`, `card` and the tints. */
export const BRAND_COLORS = {
  ground: ["#f7f5f0", "#151714"],
  card: ["#fffdf9", "#1e211d"],
  /** Panels and heads of tables. */
  faint: ["#f0ede5", "#232722"],
  /** Hovered and inactive controls. */
  muted: ["#e9e5db", "#2c312a"],
  ink: ["#1d1f1c", "#eef0ea"],
  soft: ["#5c6159", "#a9b0a5"],
  /** Decorative lines. */
  line: ["#dfdbd0", "#363b34"],
  /** Borders of controls, 3:1 on `ground` and `card`. */
  control: ["#84887d", "#777d73"],
  accent: ["#1f5d4c", "#7fcbb1"],
  "on-accent": ["#ffffff", "#10201a"],
  tint: ["#e6efe9", "#22302a"],
  error: ["#a3261c", "#ff9c8f"],
  "on-error": ["#ffffff", "#2b0d0a"],
  "error-tint": ["#fbe9e6", "#3a211e"],
  success: ["#17663a", "#7fd6a0"],
  "success-tint": ["#e3f1e7", "#19301f"],
  warning: ["#804600", "#f2b75c"],
  "warning-tint": ["#fbf0dd", "#362810"],
} as const satisfies Record<string, readonly [light: string, dark: string]>

const BRAND_FONT =
  'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif'

/**
 * The start of a stylesheet: the colors as the custom properties `--brand-…`, and controls in the font of their
 * surroundings, which browsers do not do by themselves. That rule is in the lowest layer, because a rule outside of
 * layers would override the sizes in the layers of `kit.css`.
 */
export const BRAND_STYLE = `:root{color-scheme:light dark;--brand-font:${BRAND_FONT};${Object.entries(BRAND_COLORS)
  .map(([name, [light, dark]]) => `--brand-${name}:light-dark(${light},${dark})`)
  .join(";")}}@layer reset{button,input,select,textarea{font:inherit}}`

const LOGO_STROKES = "M8 10h16M16 10v13M11 16v7M21 16v7"
const [LOGO_COLOR] = BRAND_COLORS.accent

/** The logo. The name next to it is its text, so it is hidden from assistive technology. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill={LOGO_COLOR} />
    <path d={LOGO_STROKES} stroke="#fff" stroke-width="3" stroke-linecap="round" fill="none" />
  </svg>
)

/** The logo as an SVG file. */
export const LOGO_FILE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${LOGO_COLOR}"/><path d="${LOGO_STROKES}" stroke="#fff" stroke-width="3" stroke-linecap="round" fill="none"/></svg>`

/** The logo as the icon of a page, without a request. */
export const BRAND_ICON = `data:image/svg+xml,${encodeURIComponent(LOGO_FILE)}`
