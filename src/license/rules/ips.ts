// Addresses of licensed installations: the one form in which they are stored and compared, and which of them a license allows.
import { parseAddress } from "../../lib/ip"

/** The first 12 bytes of an IPv4 address written as IPv6, `::ffff:10.0.0.1` (RFC 4291 section 2.5.5.2). */
const MAPPED_IPV4 = "00000000000000000000ffff"

interface Prefix {
  bytes: Uint8Array
  bits: number
}

/**
 * Brings an address to the form that is compared: IPv6 as RFC 5952 writes it, and an IPv4 address that is mapped into IPv6 as IPv4.
 *
 * @returns null when the text is no address.
 */
export function normaliseIp(text: string): string | null {
  const bytes = addressOf(text)
  if (bytes === null) return null
  if (bytes.length === 4) return bytes.join(".")
  // The URL parser knows how to shorten the longest run of zeros.
  const groups = bytes.toHex().replace(/.{4}(?!$)/g, "$&:")
  return new URL(`http://[${groups}]`).hostname.slice(1, -1)
}

/**
 * Whether a license may be used from an address. Addresses compare by value, not by spelling.
 *
 * @param allowed what the administrator wrote: addresses, IPv4 with its last parts as stars (`10.0.0.*`, `10.0.*.*`, `10.*`),
 *   or ranges (`10.0.0.0/8`, `2001:db8::/32`); an empty list allows every address, and also none at all.
 * @param ip the client's address; null when it is not known.
 */
export function ipAllowed(allowed: readonly string[], ip: string | null): boolean {
  if (allowed.length === 0) return true
  const address = ip === null ? null : addressOf(ip)
  return address !== null && allowed.some((pattern) => matches(pattern, address))
}

/** Whether a text is something that `ipAllowed` can allow. */
export const isIpPattern = (text: string): boolean => prefixOf(text.trim()) !== null

function matches(pattern: string, address: Uint8Array): boolean {
  const prefix = prefixOf(pattern.trim())
  if (prefix === null || prefix.bytes.length !== address.length) return false
  return leadingBits(prefix.bytes, prefix.bits) === leadingBits(address, prefix.bits)
}

const leadingBits = (bytes: Uint8Array, count: number): bigint =>
  BigInt(`0x${bytes.toHex()}`) >> BigInt(bytes.length * 8 - count)

/** Every form of a pattern is an address of which some leading bits count. */
const prefixOf = (pattern: string): Prefix | null => rangePrefix(pattern) ?? starPrefix(pattern) ?? wholePrefix(pattern)

function rangePrefix(pattern: string): Prefix | null {
  const [, address = "", length] = /^([^/]*)\/(\d{1,3})$/.exec(pattern) ?? []
  const bytes = parseAddress(address)
  return bytes && Number(length) <= bytes.length * 8 ? { bytes, bits: Number(length) } : null
}

function starPrefix(pattern: string): Prefix | null {
  const parts = pattern.split(".")
  const fixed = parts.slice(0, parts.indexOf("*"))
  if (parts.length > 4 || !parts.slice(fixed.length).every((part) => part === "*")) return null
  const bytes = parseAddress([...fixed, 0, 0, 0].slice(0, 4).join("."))
  return bytes && { bytes, bits: fixed.length * 8 }
}

function wholePrefix(pattern: string): Prefix | null {
  const bytes = addressOf(pattern)
  return bytes && { bytes, bits: bytes.length * 8 }
}

function addressOf(text: string): Uint8Array | null {
  const bytes = parseAddress(text.trim())
  return bytes?.toHex().startsWith(MAPPED_IPV4) ? bytes.subarray(12) : bytes
}
