// Compares entity tags (RFC 9110, section 8.8.3).

/**
 * Whether an If-None-Match header contains a tag, by the weak comparison that it requires (section 13.1.2).
 * @param tag a strong tag, quoted
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === "*" || header.match(/"[^"]*"/g)?.some((candidate) => candidate === tag) === true
}
