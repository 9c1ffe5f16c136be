// Domains of licensed installations: the one form in which they are stored and compared, and which of them a license allows.
import { parseIpv4 } from "../../lib/ip"

/** Longest host name in DNS with its final dot (RFC 1035); checked before punycode, which takes quadratic time. */
const MAX_LENGTH = 254
/** Longest URL that is looked at for its host, in characters. */
const MAX_URL = 8_192

/**
 * Brings what a client or an administrator calls a domain to the form that is compared: the host alone, in lower case and
 * punycode, without scheme, credentials, port, path, final dot and leading `www.`.
 *
 * More is a domain here than in DNS: software also runs on `localhost`, on `dev_site.test` and on bare addresses.
 *
 * @param text a domain or a URL.
 * @returns null when there is no host in it.
 */
export function normaliseDomain(text: string): string | null {
  const host = hostOf(text)
  return host === null || host.includes("*") ? null : withoutWww(host)
}

/**
 * Whether a license may be used on a domain.
 *
 * @param allowed domains as the administrator wrote them, `*.example.com` for everything below `example.com` at any depth
 *   but not for itself; an empty list allows every domain, and also none at all.
 * @param domain as `normaliseDomain` answers it; null when the client's domain is not known.
 */
export function domainAllowed(allowed: readonly string[], domain: string | null): boolean {
  return allowed.length === 0 || (domain !== null && allowed.some((pattern) => matches(pattern, domain)))
}

/** Whether a text is something that `domainAllowed` can allow. */
export const isDomainPattern = (text: string): boolean => normaliseDomain(text.trim().replace(/^\*\./, "")) !== null

function matches(pattern: string, domain: string): boolean {
  const host = hostOf(pattern)
  if (host === null) return false
  // `*.www.example.com` keeps its `www.`: without it the pattern would allow more than it says.
  return host.startsWith("*.") ? domain.endsWith(host.slice(1)) : domain === withoutWww(host)
}

function hostOf(text: string): string | null {
  if (text.length > MAX_URL) return null
  const authority = text
    .trim()
    .replace(/^(https?:\/+|([a-z][a-z0-9+.-]*:)?\/\/)/i, "")
    .split(/[/?#\\]/, 1)[0]
  if (!authority || authority.length > MAX_LENGTH) return null
  const host = URL.parse(`http://${authority}`)?.hostname.replace(/\.+$/, "")
  if (!host) return null
  // A URL takes `7` and `0x7f.1` for addresses; a domain is what was written.
  return parseIpv4(host) && !authority.includes(host) ? null : host
}

const withoutWww = (host: string): string => host.replace(/^www\./, "")
