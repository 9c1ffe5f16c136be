// Entity tags (RFC 9110, section 8.8.3).

/**
 * Whether an If-None-Match header holds a tag, in the weak comparison that this header asks for (section 13.1.2).
 * @param tag a strong tag, quoted
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === "*" || header.match(/"[^"]*"/g)?.some((held) => held === tag) === true
}
