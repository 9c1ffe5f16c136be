/**
 * Where webhooks may go: what a URL may look like, and what its host may resolve to.
 *
 * Both are asked when an endpoint is saved and again before every send, since a name can be pointed inward at any
 * time. The runtime resolves once more by itself when it connects and offers no way to pin the address; what is judged
 * here is what DNS said a moment before.
 */
import type { Resolver } from "../../lib/dns"
import { asciiHostname, isUnder } from "../../lib/hostname"
import { isPublicAddress, parseAddress } from "../../lib/ip"

const MAX_URL_LENGTH = 2_048

/** Zones that never lead to the public Internet: mDNS (RFC 6762), ICANN's private-use zone, loopback (RFC 6761). */
const PRIVATE_ZONES = ["local", "internal", "localhost"]

/** Why a URL cannot be an endpoint, in the order in which it is judged. */
export type AddressRefusal =
  | "too_long"
  | "malformed"
  | "not_https"
  | "credentials"
  | "port"
  | "own_domain"
  | "address"
  | "private_host"

type CheckedUrl =
  /** `host` is a canonical name, or an IP address without brackets. */
  { ok: true; url: URL; host: string } | { ok: false; reason: AddressRefusal }

/**
 * Judges the URL of an endpoint by its text alone; no network is touched.
 *
 * Refused: more than 2 048 characters; what is no absolute URL or only becomes one by a parser's leniency (white space,
 * control characters, backslashes, missing slashes); other schemes than HTTPS; credentials; ports other than 443
 * and 1024–65535; the platform's own names; and hosts that are private by their text: non-public addresses in every
 * spelling, single labels, and the zones `.local`, `.internal` and `.localhost`. Public addresses are refused as well: a Worker
 * cannot send to an address, only to a name.
 *
 * Whether the host is a store's own domain is a question to the database and asked elsewhere.
 *
 * @param rules.centralDomain the platform's host name in ASCII; it and every name under it are refused.
 * @param rules.allowPrivateHosts true admits hosts that are private by their text, since that is what receivers on a
 *   developer's machine are called; all other rules stay.
 */
export function checkUrl(text: string, rules: { centralDomain: string; allowPrivateHosts: boolean }): CheckedUrl {
  if (text.length > MAX_URL_LENGTH) return refuse("too_long")
  if (!text.isWellFormed() || /[\s\p{Cc}\\]/u.test(text)) return refuse("malformed")

  const url = URL.parse(text)
  if (url === null) return refuse("malformed")
  if (url.protocol !== "https:") return refuse("not_https")

  // Read from the text, because a parsed URL no longer shows empty credentials or missing slashes.
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
 * Asks DNS where a host leads now.
 *
 * @param host a host as {@link checkUrl} answers it; an IP address is judged without asking.
 * @returns `unsafe` when any of its addresses is not public, since the sender may pick that one; `unresolved` when
 *   there is no address, or DNS failed at one of the two questions, which could hide one; `unanswered` when the resolver
 *   said nothing to one of them; else `public`.
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

function refuse(reason: AddressRefusal): CheckedUrl {
  return { ok: false, reason }
}

/** @param port as a URL shows it: empty for the scheme's own. */
function isAllowedPort(port: string): boolean {
  return port === "" || Number(port) >= 1024
}

/** The name or address in a parsed URL's host, which is an ASCII name, `a.b.c.d` or `[v6]`; null if it is neither. */
function canonicalHost(hostname: string): string | null {
  if (hostname.startsWith("[")) return hostname.slice(1, -1)
  return parseAddress(hostname) === null ? asciiHostname(hostname) : hostname
}

function isPrivateHost(host: string): boolean {
  if (parseAddress(host) !== null) return !isPublicAddress(host)
  return !host.includes(".") || PRIVATE_ZONES.some((zone) => isUnder(host, zone))
}
