// Resolves a store's stylesheet and design tokens, and the Content-Security-Policy that allows only that stylesheet.
import { type CspSource, contentSecurityPolicy, hashSource } from "../core/html/content-security-policy"
import { parseHex, withAccent } from "../themes/accent"
import { stylesheet, tokensOf } from "../themes/assets"
import type { Tokens } from "../themes/theme"

export interface Appearance {
  css: string
  tokens: Tokens
  /** A second stylesheet with the accent color of the shop, if it has its own. */
  accentCss?: string
}

/**
 * Returns the appearance of a store. Falls back to the default theme when the theme's assets are missing, so a page is
 * never unstyled.
 * @param theme slug stored with the store
 * @param preset slug stored with the store
 * @param accent the shop's own accent color
 */
export function getAppearance(theme: string, preset: string, accent?: string | null): Appearance {
  const appearance = findAppearance(theme, preset) ?? findAppearance("atelier", "linen")
  if (!appearance) throw new Error("The default theme has no stylesheet")
  const hex = accent ? parseHex(accent) : null
  if (!hex) return appearance
  const tokens = withAccent(appearance.tokens, hex)
  return { ...appearance, tokens, accentCss: `:root{--accent:${tokens.accent};--on-accent:${tokens.onAccent}}` }
}

function findAppearance(theme: string, preset: string): Appearance | undefined {
  const css = stylesheet(theme, preset)
  const tokens = tokensOf(theme, preset)
  return css && tokens ? { css, tokens } : undefined
}

const listStyleSources = ({ css, accentCss }: Appearance): CspSource[] =>
  [css, accentCss].flatMap((text) => (text ? [hashSource(text)] : []))

/**
 * The `Content-Security-Policy` of a page with its inline stylesheets: no frames, images from any HTTPS host, and no
 * scripts except the one that is given.
 * @param script the exact text between the page's script tags
 */
export const storefrontPolicy = (appearance: Appearance, script?: string): string =>
  contentSecurityPolicy({
    "style-src": listStyleSources(appearance),
    "img-src": ["'self'", "https:", "data:"],
    ...(script && { "script-src": [hashSource(script)] }),
  })

/**
 * The policy of a preview that the console shows in a frame: only its own host may frame it, images come from the
 * store's host, and the sandbox stops scripts and forms.
 * @param rootUrl scheme and host of the store
 */
export function previewPolicy(appearance: Appearance, rootUrl: string): string {
  const origin = rootUrl as CspSource
  return contentSecurityPolicy({
    "style-src": listStyleSources(appearance),
    "img-src": [origin, "https:", "data:"],
    "base-uri": [origin],
    "form-action": ["'none'"],
    "frame-ancestors": ["'self'"],
    sandbox: true,
  })
}
