// Normalises the domains of licensed installations and matches them against a license's allowlist.
import { parseIpv4 } from "../../lib/ip"

/**
 * Longest DNS host name with its trailing dot (RFC 1035). Checked before punycode conversion, which takes quadratic
 * time.
 */
const MAX_DOMAIN_LENGTH = 254
/** In characters. Longer input is rejected without parsing. */
const MAX_URL_LENGTH = 8_192

/**
 * Normalises a domain for storage and comparison: the host alone, in lower case and punycode, without scheme,
 * credentials, port, path, trailing dot and leading `www.`.
 *
 * Accepts more than DNS does: software also runs on `localhost`, `dev_site.test` and bare addresses.
 *
 * @param text a domain or a URL.
 * @returns null when it contains no host.
 */
export function normaliseDomain(text: string): string | null {
  const host = extractHost(text)
  return host === null || host.includes("*") ? null : withoutWww(host)
}

/**
 * Returns whether a license allows a domain.
 *
 * @param allowed domains as entered by the vendor. `*.example.com` matches subdomains at any depth, but not
 *   `example.com` itself. An empty list allows every domain, and clients without one.
 * @param domain the result of `normaliseDomain`; null when the client's domain is unknown.
 */
export function isDomainAllowed(allowed: readonly string[], domain: string | null): boolean {
  return allowed.length === 0 || (domain !== null && allowed.some((pattern) => matchesPattern(pattern, domain)))
}

/** Returns whether a text is a valid entry for `isDomainAllowed`. */
export const isDomainPattern = (text: string): boolean => normaliseDomain(text.trim().replace(/^\*\./, "")) !== null

function matchesPattern(pattern: string, domain: string): boolean {
  const host = extractHost(pattern)
  if (host === null) return false
  // The `www.` of `*.www.example.com` is significant: without it the pattern would match more domains.
  return host.startsWith("*.") ? domain.endsWith(host.slice(1)) : domain === withoutWww(host)
}

function extractHost(text: string): string | null {
  if (text.length > MAX_URL_LENGTH) return null
  const authority = text
    .trim()
    .replace(/^(https?:\/+|([a-z][a-z0-9+.-]*:)?\/\/)/i, "")
    .split(/[/?#\\]/, 1)[0]
  if (!authority || authority.length > MAX_DOMAIN_LENGTH) return null
  const host = URL.parse(`http://${authority}`)?.hostname.replace(/\.+$/, "")
  if (!host) return null
  // The URL parser converts `7` and `0x7f.1` to IPv4 addresses; those are not domains.
  return parseIpv4(host) && !authority.includes(host) ? null : host
}

const withoutWww = (host: string): string => host.replace(/^www\./, "")
