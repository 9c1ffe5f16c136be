// Builds tar archives (POSIX.1-2001, pax) entry by entry, so that an archive can be written as a stream.

const BLOCK_BYTES = 512

/** Longest path of a header without pax records. */
const MAX_PATH_BYTES = 100

/** Largest size that a header's octal field can state. */
const MAX_SIZE = 0o77777777777

const REGULAR_FILE = "0"
const PAX_HEADER = "x"

/** A file in an archive. */
export interface TarEntry {
  path: string
  /** In bytes. */
  size: number
  modifiedAt: Date
}

const encoder = new TextEncoder()

/** The two empty blocks at the end of an archive. */
export const TAR_END = new Uint8Array(2 * BLOCK_BYTES)

/** Builds what precedes the bytes of an entry. */
export function buildTarHeader(entry: TarEntry): Uint8Array {
  const records = buildPaxRecords(entry)
  if (!records.length) return buildBlock(entry, REGULAR_FILE)
  const pax = { path: "pax_header", size: records.length, modifiedAt: entry.modifiedAt }
  return concat([
    buildBlock(pax, PAX_HEADER),
    records,
    buildTarPadding(records.length),
    buildBlock(entry, REGULAR_FILE),
  ])
}

/** Builds the padding that follows the bytes of an entry. */
export const buildTarPadding = (size: number): Uint8Array =>
  new Uint8Array((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES)

/** A long path, one with other characters than ASCII, and a size beyond 8 GB are records of an extended header. */
function buildPaxRecords({ path, size }: TarEntry): Uint8Array {
  const isPlain = /^[\x20-\x7e]*$/.test(path) && path.length <= MAX_PATH_BYTES
  const records = [
    ...(isPlain ? [] : [buildPaxRecord("path", path)]),
    ...(size > MAX_SIZE ? [buildPaxRecord("size", String(size))] : []),
  ]
  return concat(records)
}

/** A record begins with its own length, including the digits of the length. */
function buildPaxRecord(name: string, value: string): Uint8Array {
  const rest = encoder.encode(` ${name}=${value}\n`)
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return concat([encoder.encode(String(length)), rest])
}

function buildBlock({ path, size, modifiedAt }: TarEntry, type: string): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  const write = (offset: number, text: string) => encoder.encodeInto(text, block.subarray(offset))
  block.set(encoder.encode(path).subarray(0, MAX_PATH_BYTES), 0)
  write(100, "0000644\0")
  write(108, "0000000\0")
  write(116, "0000000\0")
  write(124, `${toOctal(Math.min(size, MAX_SIZE), 11)} `)
  write(136, `${toOctal(Math.floor(modifiedAt.getTime() / 1000), 11)} `)
  write(148, " ".repeat(8))
  write(156, type)
  write(257, "ustar\0")
  write(263, "00")
  const checksum = block.reduce((sum, byte) => sum + byte, 0)
  write(148, `${toOctal(checksum, 6)}\0 `)
  return block
}

const toOctal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0")

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}
