// Parses IP addresses and decides whether they are public.

/** The longest form: six groups of four digits and a dotted IPv4 address. */
const MAX_ADDRESS_LENGTH = 45

/**
 * Ranges that are not public: every block of the IANA special-purpose registries (RFC 6890), and multicast.
 *
 * Blocks that the registries mark "globally reachable" are included: they are anycast services, answered by the
 * nearest node, and never assigned to a server. For IPv6 only 2000::/3 is global unicast, so the three ranges around it
 * come first, then the special blocks inside. An IPv4 address embedded in IPv6 is rejected, because a translator on the
 * path chooses its destination.
 */
const NOT_PUBLIC = [
  "0.0.0.0/8", // this network, unspecified (RFC 791)
  "10.0.0.0/8", // private use (RFC 1918)
  "100.64.0.0/10", // shared address space of carrier-grade NAT (RFC 6598)
  "127.0.0.0/8", // loopback (RFC 1122)
  "169.254.0.0/16", // link-local, where clouds serve their metadata (RFC 3927)
  "172.16.0.0/12", // private use (RFC 1918)
  "192.0.0.0/24", // IETF protocol assignments (RFC 6890)
  "192.0.2.0/24", // documentation, TEST-NET-1 (RFC 5737)
  "192.31.196.0/24", // AS112 (RFC 7535)
  "192.52.193.0/24", // automatic multicast tunnelling (RFC 7450)
  "192.88.99.0/24", // 6to4 relays, deprecated (RFC 7526)
  "192.168.0.0/16", // private use (RFC 1918)
  "192.175.48.0/24", // AS112, direct delegation (RFC 7534)
  "198.18.0.0/15", // benchmarking (RFC 2544)
  "198.51.100.0/24", // documentation, TEST-NET-2 (RFC 5737)
  "203.0.113.0/24", // documentation, TEST-NET-3 (RFC 5737)
  "224.0.0.0/4", // multicast (RFC 5771)
  "240.0.0.0/4", // reserved (RFC 1112), with limited broadcast 255.255.255.255 (RFC 919)

  // Unspecified ::, loopback ::1, IPv4-compatible ::/96, IPv4-mapped ::ffff:0:0/96 (RFC 4291), NAT64 64:ff9b::/96
  // (RFC 6052) and 64:ff9b:1::/48 (RFC 8215), discard-only 100::/64 (RFC 6666), dummy 100:0:0:1::/64 (RFC 9780).
  "::/3",
  "4000::/2", // unassigned, with segment routing 5f00::/16 (RFC 9602)
  // Unassigned, unique local fc00::/7 (RFC 4193), link-local fe80::/10, multicast ff00::/8 (RFC 4291), and site-local
  // fec0::/10 (RFC 3879).
  "8000::/1",

  // IETF protocol assignments (RFC 2928): Teredo 2001::/32 (RFC 4380), benchmarking 2001:2::/48 (RFC 5180),
  // ORCHID 2001:10::/28 (RFC 4843) and 2001:20::/28 (RFC 7343), drone identifiers 2001:30::/28 (RFC 9374).
  "2001::/23",
  "2001:db8::/32", // documentation (RFC 3849)
  "2002::/16", // 6to4 (RFC 3056)
  "2620:4f:8000::/48", // AS112, direct delegation (RFC 7534)
  "3fff::/20", // documentation (RFC 9637)
].map(parseRange)

/**
 * Whether an address is public: unicast, globally routed, without a special purpose.
 *
 * @param text an address in a form that {@link parseAddress} accepts.
 * @returns false for special-purpose and multicast addresses, and for text that is not an address.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  return address !== null && !NOT_PUBLIC.some((range) => contains(range, address))
}

/**
 * Parses an IPv4 or IPv6 address.
 *
 * @param text the bare address: no brackets, port, zone or prefix length.
 * @returns 4 or 16 bytes in network order, or null for anything else.
 */
export function parseAddress(text: string): Uint8Array | null {
  if (text.length > MAX_ADDRESS_LENGTH) return null
  return parseIpv4(text) ?? parseIpv6(text)
}

/**
 * Parses an IPv4 address in strict dotted form: four decimal numbers without leading zeros.
 *
 * The octal, hexadecimal, short and integer forms of `inet_aton` are rejected; a URL parser has rewritten
 * them before a host gets here.
 *
 * @returns 4 bytes in network order, or null.
 */
export function parseIpv4(text: string): Uint8Array | null {
  const octets = text.split(".")
  if (octets.length !== 4 || !octets.every((octet) => /^(0|[1-9][0-9]{0,2})$/.test(octet) && Number(octet) <= 255)) {
    return null
  }
  return Uint8Array.from(octets, Number)
}

/**
 * Parses an IPv6 address in any form of RFC 4291 section 2.2: full, with `::`, or ending in a dotted IPv4 address.
 *
 * @param text the address without brackets; one with a zone (`fe80::1%eth0`) is rejected.
 * @returns 16 bytes in network order, or null.
 */
export function parseIpv6(text: string): Uint8Array | null {
  const hexadecimal = withoutDottedTail(text)
  if (hexadecimal === null) return null

  const [head = "", tail, ...more] = hexadecimal.split("::")
  const left = parseGroups(head)
  const right = parseGroups(tail ?? "")
  if (left === null || right === null || more.length > 0) return null

  const missing = 8 - left.length - right.length
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  const groups = [...left, ...Array<number>(missing).fill(0), ...right]
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}

/** Rewrites `…:a.b.c.d` as two hexadecimal groups; null when the dotted part is not an IPv4 address. */
function withoutDottedTail(text: string): string | null {
  if (!text.includes(".")) return text
  const start = text.lastIndexOf(":") + 1
  const octets = parseIpv4(text.slice(start))
  if (octets === null) return null
  const [a = 0, b = 0, c = 0, d = 0] = octets
  return `${text.slice(0, start)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

/** Parses colon-separated groups of one to four hexadecimal digits; null when one is malformed. */
function parseGroups(text: string): number[] | null {
  if (text === "") return []
  const groups = text.split(":")
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null
}

interface Range {
  base: Uint8Array
  prefixLength: number
}

function parseRange(cidr: string): Range {
  const [address = "", prefixLength] = cidr.split("/")
  const base = parseAddress(address)
  if (base === null) throw new TypeError(`not a CIDR range: ${cidr}`)
  return { base, prefixLength: Number(prefixLength) }
}

function contains({ base, prefixLength }: Range, address: Uint8Array): boolean {
  if (address.length !== base.length) return false
  return base.every((byte, index) => {
    const bits = Math.min(Math.max(prefixLength - index * 8, 0), 8)
    const mask = 0xff & (0xff << (8 - bits))
    return ((byte ^ (address[index] ?? 0)) & mask) === 0
  })
}

const IPV4_MAPPED = parseRange("::ffff:0:0/96")

/** The networks that a client address belongs to, for rate limits. */
export interface ClientNetwork {
  /** An IPv4 address, the /64 that an IPv6 subscriber has, or `worker:` and the zone of a Worker. */
  network: string
  /** The surrounding /48, which one customer may own; null for the others. */
  wider: string | null
}

/** `worker:` and the longest domain. */
const MAX_NETWORK_LENGTH = 260

/**
 * Returns the network of a client address. A subscriber has 2^64 IPv6 addresses, and all of them count as one caller.
 * @param text an address; an IPv4-mapped one counts as IPv4. Other text is used unchanged.
 */
export function clientNetwork(text: string): ClientNetwork {
  const address = parseAddress(text)
  if (address === null) return { network: text.slice(0, MAX_NETWORK_LENGTH), wider: null }
  if (address.length === 4) return { network: [...address].join("."), wider: null }
  if (contains(IPV4_MAPPED, address)) return { network: [...address.slice(12)].join("."), wider: null }
  return { network: `${hex(address, 8)}::/64`, wider: `${hex(address, 6)}::/48` }
}

/** The first bytes of an IPv6 address as groups. */
const hex = (address: Uint8Array, bytes: number): string =>
  Array.from({ length: bytes / 2 }, (_, group) =>
    ((address[group * 2] ?? 0) * 256 + (address[group * 2 + 1] ?? 0)).toString(16),
  ).join(":")
