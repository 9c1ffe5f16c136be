// Parses byte ranges (RFC 9110, section 14).

export interface ByteRange {
  offset: number
  length: number
}

/**
 * Parses a Range header.
 * @param header the header's value
 * @param size the file's size in bytes
 * @returns null when the whole file should be sent (no range, another unit, several ranges, or a malformed one, all of
 *   which a server may ignore), `unsatisfiable` when the range starts past the end
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const [, from, to] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? []
  if (from === undefined || to === undefined || (!from && !to)) return null
  if (!from) {
    const length = Math.min(Number(to), size)
    return length > 0 ? { offset: size - length, length } : "unsatisfiable"
  }
  const offset = Number(from)
  if (to && Number(to) < offset) return null
  if (offset >= size) return "unsatisfiable"
  return { offset, length: Math.min(to ? Number(to) + 1 : size, size) - offset }
}
