/** Host names in the one form that can be compared and stored: lower-case ASCII without the final dot. */

const MAX_LENGTH = 253
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/**
 * Brings a host name to lower-case ASCII and checks it label by label (RFC 1123 section 2.1).
 *
 * International names become punycode by the rules of a URL's host (UTS 46), which also map fullwidth letters and
 * ideographic dots. Anything beside a name is refused rather than cut off: ports, paths, credentials, white space,
 * underscores, wildcards, and IP addresses in every spelling, `0x7f.1` included.
 *
 * @param text the name as someone typed it; one final dot is dropped.
 * @param options.qualified true refuses a single label such as `intranet`.
 * @returns the canonical name, or null when the text is not one.
 */
export function asciiHostname(text: string, options: { qualified?: boolean } = {}): string | null {
  // The length is bounded first: punycode takes quadratic time.
  if (text.length > MAX_LENGTH + 1 || !/^[a-z0-9.\-\u0080-\u{10ffff}]+$/iu.test(text)) return null

  const name = URL.parse(`https://${text}`)?.hostname.replace(/\.$/, "")
  if (name === undefined || name.length > MAX_LENGTH) return null

  const labels = name.split(".")
  if (!labels.every((label) => LABEL.test(label))) return null
  // The URL parser has made dotted decimals of all IPv4 spellings, and no top-level domain is a number.
  if (/^[0-9]+$/.test(labels.at(-1) ?? "")) return null
  if (options.qualified && labels.length === 1) return null
  return name
}

/**
 * Tells whether `host` is `parent` or lies under it, as DNS compares names: whole labels, without regard to case
 * (RFC 4343) or to the root's final dot.
 *
 * @param host a name in ASCII, such as {@link asciiHostname} answers.
 * @param parent likewise.
 */
export function isUnder(host: string, parent: string): boolean {
  return `.${comparable(host)}`.endsWith(`.${comparable(parent)}`)
}

function comparable(name: string): string {
  return name.toLowerCase().replace(/\.$/, "")
}
