// The stylesheet a page is sent with, and the policy that lets this one stylesheet, and nothing else, take effect.
import { createHash } from "node:crypto"
import { stylesheet, tokensOf } from "../themes/assets"
import type { Tokens } from "../themes/theme"

export type Look = { css: string; tokens: Tokens }

/**
 * The look of a store. Assets that have gone missing must not leave a visitor with a naked page, so the quiet default
 * theme steps in for them.
 * @param theme slug stored with the store
 * @param preset slug stored with the store
 */
export function lookOf(theme: string, preset: string): Look {
  const look = installedLook(theme, preset) ?? installedLook("atelier", "linen")
  if (!look) throw new Error("The default theme has no stylesheet")
  return look
}

function installedLook(theme: string, preset: string): Look | undefined {
  const css = stylesheet(theme, preset)
  const tokens = tokensOf(theme, preset)
  return css && tokens ? { css, tokens } : undefined
}

const policies = new Map<string, string>()

/**
 * The `Content-Security-Policy` of a page with one inline stylesheet: no scripts, no frames, no plugins, pictures from
 * the web, styles by their hash (CSP Level 3, section 6.7.3.3).
 * @param css the exact text between the page's style tags
 */
export function contentSecurityPolicy(css: string): string {
  const known = policies.get(css)
  if (known) return known
  const policy = `default-src 'none'; style-src ${styleSource(css)}; img-src 'self' https: data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
  policies.set(css, policy)
  return policy
}

/**
 * The policy of a page that is shown within the console: framed by its host alone, with pictures of the shop's own host, and as
 * inert as a picture itself.
 * @param css the exact text between the page's style tags
 * @param rootUrl scheme and host of the shop
 */
export const previewPolicy = (css: string, rootUrl: string): string =>
  `default-src 'none'; style-src ${styleSource(css)}; img-src ${rootUrl} https: data:; base-uri ${rootUrl}; form-action 'none'; frame-ancestors 'self'; sandbox`

const styleSource = (css: string): string => `'sha256-${createHash("sha256").update(css).digest("base64")}'`
