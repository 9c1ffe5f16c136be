// Normalizes host names to lower-case ASCII without a trailing dot.

const MAX_HOSTNAME_LENGTH = 253
/** A label of a host name (RFC 1123, section 2.1). */
export const HOST_LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/**
 * Brings a host name to lower-case ASCII and checks it label by label (RFC 1123 section 2.1).
 *
 * International names become punycode by the rules of a URL's host (UTS 46), which also map fullwidth letters and
 * ideographic dots. Anything else is rejected rather than stripped: ports, paths, credentials, white space,
 * underscores, wildcards, and IP addresses in every spelling, `0x7f.1` included.
 *
 * @param text the name as typed; one trailing dot is dropped.
 * @param options.qualified true rejects a single label such as `intranet`.
 * @returns the normalized name; null when the text is not a host name.
 */
export function asciiHostname(text: string, options: { qualified?: boolean } = {}): string | null {
  // Check the length first: punycode takes quadratic time.
  if (text.length > MAX_HOSTNAME_LENGTH + 1 || !/^[a-z0-9.\-\u0080-\u{10ffff}]+$/iu.test(text)) return null

  const name = URL.parse(`https://${text}`)?.hostname.replace(/\.$/, "")
  if (name === undefined || name.length > MAX_HOSTNAME_LENGTH) return null

  const labels = name.split(".")
  if (!labels.every((label) => HOST_LABEL.test(label))) return null
  // The URL parser converts every IPv4 spelling to dotted decimals, and no top-level domain is a number.
  if (/^[0-9]+$/.test(labels.at(-1) ?? "")) return null
  if (options.qualified && labels.length === 1) return null
  return name
}

/**
 * Whether `host` equals `parent` or is a subdomain of it, compared like DNS: by whole labels, ignoring case
 * (RFC 4343) and a trailing dot.
 *
 * @param host an ASCII name, such as {@link asciiHostname} returns.
 * @param parent likewise.
 */
export function isUnder(host: string, parent: string): boolean {
  return `.${comparable(host)}`.endsWith(`.${comparable(parent)}`)
}

function comparable(name: string): string {
  return name.toLowerCase().replace(/\.$/, "")
}
