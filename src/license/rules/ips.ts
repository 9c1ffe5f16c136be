// Normalises the IP addresses of licensed installations and matches them against a license's allowlist.
import { parseAddress } from "../../lib/ip"

/** The first 12 bytes of an IPv4 address written as IPv6, `::ffff:10.0.0.1` (RFC 4291 section 2.5.5.2). */
const MAPPED_IPV4 = "00000000000000000000ffff"

interface Prefix {
  bytes: Uint8Array
  bits: number
}

/**
 * Normalises an address for storage and comparison: IPv6 as in RFC 5952, IPv4-mapped IPv6 as IPv4.
 *
 * @returns null when the text is not an address.
 */
export function normaliseIp(text: string): string | null {
  const bytes = parseIp(text)
  if (bytes === null) return null
  if (bytes.length === 4) return bytes.join(".")
  // The URL parser compresses the longest run of zeros.
  const groups = bytes.toHex().replace(/.{4}(?!$)/g, "$&:")
  return new URL(`http://[${groups}]`).hostname.slice(1, -1)
}

/**
 * Returns whether a license allows an address. Addresses are compared by value, not by notation.
 *
 * @param allowed as entered by the vendor: addresses, IPv4 with trailing wildcards (`10.0.0.*`, `10.0.*.*`, `10.*`), or
 *   CIDR ranges (`10.0.0.0/8`, `2001:db8::/32`). An empty list allows every address, and clients without one.
 * @param ip the client's address; null when unknown.
 */
export function isIpAllowed(allowed: readonly string[], ip: string | null): boolean {
  if (allowed.length === 0) return true
  const address = ip === null ? null : parseIp(ip)
  return address !== null && allowed.some((pattern) => matchesPattern(pattern, address))
}

/** Returns whether a text is a valid entry for `isIpAllowed`. */
export const isIpPattern = (text: string): boolean => parsePattern(text.trim()) !== null

function matchesPattern(pattern: string, address: Uint8Array): boolean {
  const prefix = parsePattern(pattern.trim())
  if (prefix === null || prefix.bytes.length !== address.length) return false
  return leadingBits(prefix.bytes, prefix.bits) === leadingBits(address, prefix.bits)
}

const leadingBits = (bytes: Uint8Array, count: number): bigint =>
  BigInt(`0x${bytes.toHex()}`) >> BigInt(bytes.length * 8 - count)

/** Converts every form of pattern to a prefix: an address and its number of significant leading bits. */
const parsePattern = (pattern: string): Prefix | null =>
  parseRange(pattern) ?? parseWildcard(pattern) ?? parseSingle(pattern)

function parseRange(pattern: string): Prefix | null {
  const [, address = "", length] = /^([^/]*)\/(\d{1,3})$/.exec(pattern) ?? []
  const bytes = parseAddress(address)
  return bytes && Number(length) <= bytes.length * 8 ? { bytes, bits: Number(length) } : null
}

function parseWildcard(pattern: string): Prefix | null {
  const parts = pattern.split(".")
  const fixed = parts.slice(0, parts.indexOf("*"))
  if (parts.length > 4 || !parts.slice(fixed.length).every((part) => part === "*")) return null
  const bytes = parseAddress([...fixed, 0, 0, 0].slice(0, 4).join("."))
  return bytes && { bytes, bits: fixed.length * 8 }
}

function parseSingle(pattern: string): Prefix | null {
  const bytes = parseIp(pattern)
  return bytes && { bytes, bits: bytes.length * 8 }
}

function parseIp(text: string): Uint8Array | null {
  const bytes = parseAddress(text.trim())
  return bytes?.toHex().startsWith(MAPPED_IPV4) ? bytes.subarray(12) : bytes
}
