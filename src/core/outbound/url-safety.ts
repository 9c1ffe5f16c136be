/**
 * Validates webhook URLs against SSRF: the URL's text, and the addresses that its host resolves to.
 *
 * Both checks run when an endpoint is saved and again before every request, since a DNS record can be changed to a
 * private address at any time. The runtime resolves the host again when it connects and offers no way to pin the
 * address, so a short window between check and connection remains.
 */
import type { Resolver } from "../../lib/dns"
import { asciiHostname, isUnder } from "../../lib/hostname"
import { isPublicAddress, parseAddress } from "../../lib/ip"

const MAX_URL_LENGTH = 2_048

/** Zones that never lead to the public Internet: mDNS (RFC 6762), ICANN's private-use zone, loopback (RFC 6761). */
const PRIVATE_ZONES = ["local", "internal", "localhost"]

/** Why a URL is refused, in the order of the checks. */
export type UrlRefusal =
  | "too_long"
  | "malformed"
  | "not_https"
  | "credentials"
  | "port"
  | "own_domain"
  | "address"
  | "private_host"

type CheckedUrl =
  /** `host` is a canonical host name, or an IP address without brackets. */
  { ok: true; url: URL; host: string } | { ok: false; reason: UrlRefusal }

/**
 * Checks the URL of an endpoint by its text alone, without any network request.
 *
 * Refused: more than 2,048 characters; text that is not an absolute URL, or that only a lenient parser accepts (white
 * space, control characters, backslashes, missing slashes); schemes other than HTTPS; credentials; ports other than 443
 * and 1024–65535; the platform's own names; hosts that are private by their text: non-public addresses in every
 * spelling, single labels, and the zones `.local`, `.internal` and `.localhost`. Public addresses are refused as well:
 * a Worker can send to a host name only, not to an address.
 *
 * The caller checks against the database whether the host is a store's own domain.
 *
 * @param rules.centralDomain the platform's host name in ASCII; it and every name under it are refused.
 * @param rules.allowPrivateHosts true allows private hosts and IP addresses, for receivers on a developer's machine;
 *   all other rules stay in force.
 */
export function checkUrl(text: string, rules: { centralDomain: string; allowPrivateHosts: boolean }): CheckedUrl {
  if (text.length > MAX_URL_LENGTH) return refuse("too_long")
  if (!text.isWellFormed() || /[\s\p{Cc}\\]/u.test(text)) return refuse("malformed")

  const url = URL.parse(text)
  if (url === null) return refuse("malformed")
  if (url.protocol !== "https:") return refuse("not_https")

  // Checked in the text, because a parsed URL no longer shows empty credentials or missing slashes.
  const authority = /^https:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined) return refuse("malformed")
  if (authority.includes("@")) return refuse("credentials")
  if (!isAllowedPort(url.port)) return refuse("port")

  const host = canonicalHost(url.hostname)
  if (host === null) return refuse("malformed")
  if (isUnder(host, rules.centralDomain)) return refuse("own_domain")
  if (!rules.allowPrivateHosts && isPrivateHost(host)) return refuse("private_host")
  if (!rules.allowPrivateHosts && parseAddress(host) !== null) return refuse("address")
  return { ok: true, url, host }
}

/**
 * Resolves a host and checks that all of its addresses are public.
 *
 * @param host the `host` that {@link checkUrl} returned; an IP address is checked without a DNS query.
 * @returns `unsafe` if any address is not public, since the runtime may pick that one; `unresolved` if there is no
 *   address, or if one of the two queries failed, which could hide an address; `unanswered` if the resolver did not
 *   respond to a query; otherwise `public`.
 */
export async function resolveHost(
  host: string,
  dns: Resolver,
): Promise<"public" | "unsafe" | "unresolved" | "unanswered"> {
  if (parseAddress(host) !== null) return isPublicAddress(host) ? "public" : "unsafe"

  const lookups = await Promise.all([dns.lookup(host, "A"), dns.lookup(host, "AAAA")])
  const addresses = lookups.flatMap((lookup) => lookup.records)
  if (!addresses.every(isPublicAddress)) return "unsafe"
  if (lookups.some((lookup) => lookup.status === "failed")) return "unresolved"
  if (lookups.some((lookup) => lookup.status === "unanswered")) return "unanswered"
  return addresses.length === 0 ? "unresolved" : "public"
}

function refuse(reason: UrlRefusal): CheckedUrl {
  return { ok: false, reason }
}

/** @param port `URL.port`: empty for the scheme's default. */
function isAllowedPort(port: string): boolean {
  return port === "" || Number(port) >= 1024
}

/** Canonicalizes the host of a parsed URL: an ASCII name, `a.b.c.d` or `[v6]`; null for anything else. */
function canonicalHost(hostname: string): string | null {
  if (hostname.startsWith("[")) return hostname.slice(1, -1)
  return parseAddress(hostname) === null ? asciiHostname(hostname) : hostname
}

function isPrivateHost(host: string): boolean {
  if (parseAddress(host) !== null) return !isPublicAddress(host)
  return !host.includes(".") || PRIVATE_ZONES.some((zone) => isUnder(host, zone))
}
