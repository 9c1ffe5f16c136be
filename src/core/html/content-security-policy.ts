// Builds the Content-Security-Policy header of every HTML page (CSP Level 3, https://www.w3.org/TR/CSP3/).
import { createHash } from "node:crypto"
import { memoize } from "../../lib/memo"

/** A source expression (CSP Level 3, section 2.3.1): a keyword, a scheme, a hash or an origin. */
export type CspSource =
  | "'none'"
  | "'self'"
  | "data:"
  | "https:"
  | `'sha256-${string}'`
  | `${"http" | "https"}://${string}`

/** The directives that pages use, in the order in which the header lists them. */
const DIRECTIVES = [
  "default-src",
  "script-src",
  "style-src",
  "img-src",
  "font-src",
  "connect-src",
  "form-action",
  "base-uri",
  "frame-ancestors",
  "frame-src",
] as const

export interface CspDirectives extends Partial<Record<(typeof DIRECTIVES)[number], readonly CspSource[]>> {
  /** Runs the page in an opaque origin without scripts, forms and popups. */
  sandbox?: boolean
}

/** Applies to every page unless it sets the directive itself: nothing is loaded, framed or sent to another host. */
const DEFAULTS: CspDirectives = {
  "default-src": ["'none'"],
  "form-action": ["'self'"],
  "base-uri": ["'none'"],
  "frame-ancestors": ["'none'"],
}

/** For pages whose scripts, styles, pictures and fonts are files of the same host. */
export const SELF_HOSTED: CspDirectives = {
  "script-src": ["'self'"],
  "style-src": ["'self'"],
  "img-src": ["'self'", "data:"],
  "font-src": ["'self'"],
  "connect-src": ["'self'"],
}

/**
 * @param directives added to the defaults; a directive that is given replaces its default
 * @returns the value of a `Content-Security-Policy` header
 */
export function contentSecurityPolicy(directives: CspDirectives): string {
  const policy = { ...DEFAULTS, ...directives }
  const parts = DIRECTIVES.flatMap((name) => (policy[name] ? [`${name} ${policy[name].join(" ")}`] : []))
  return [...parts, ...(policy.sandbox ? ["sandbox"] : [])].join("; ")
}

/**
 * The source expression that allows one inline style or script. Cached, because the texts are few and long.
 * @param text exactly what is between the element's tags
 */
export const hashSource = memoize(
  (text: string): CspSource => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
)
