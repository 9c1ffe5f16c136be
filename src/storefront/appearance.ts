// Resolves a store's stylesheet and design tokens, and the Content-Security-Policy that allows only that stylesheet.
import { type CspSource, contentSecurityPolicy, hashSource } from "../core/html/content-security-policy"
import { stylesheet, tokensOf } from "../themes/assets"
import type { Tokens } from "../themes/theme"

export type Appearance = { css: string; tokens: Tokens }

/**
 * Returns the appearance of a store. Falls back to the default theme when the theme's assets are missing, so a page is
 * never unstyled.
 * @param theme slug stored with the store
 * @param preset slug stored with the store
 */
export function getAppearance(theme: string, preset: string): Appearance {
  const appearance = findAppearance(theme, preset) ?? findAppearance("atelier", "linen")
  if (!appearance) throw new Error("The default theme has no stylesheet")
  return appearance
}

function findAppearance(theme: string, preset: string): Appearance | undefined {
  const css = stylesheet(theme, preset)
  const tokens = tokensOf(theme, preset)
  return css && tokens ? { css, tokens } : undefined
}

/**
 * The `Content-Security-Policy` of a page with one inline stylesheet: no frames, images from any HTTPS host, and no
 * scripts except the one that is given.
 * @param css the exact text between the page's style tags
 * @param script the exact text between the page's script tags
 */
export const storefrontPolicy = (css: string, script?: string): string =>
  contentSecurityPolicy({
    "style-src": [hashSource(css)],
    "img-src": ["'self'", "https:", "data:"],
    ...(script && { "script-src": [hashSource(script)] }),
  })

/**
 * The policy of a preview that the console shows in a frame: only its own host may frame it, images come from the
 * store's host, and the sandbox stops scripts and forms.
 * @param css the exact text between the page's style tags
 * @param rootUrl scheme and host of the store
 */
export function previewPolicy(css: string, rootUrl: string): string {
  const origin = rootUrl as CspSource
  return contentSecurityPolicy({
    "style-src": [hashSource(css)],
    "img-src": [origin, "https:", "data:"],
    "base-uri": [origin],
    "form-action": ["'none'"],
    "frame-ancestors": ["'self'"],
    sandbox: true,
  })
}
