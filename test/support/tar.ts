// Reads tar archives with pax headers.

const BLOCK = 512

/** Returns the files of an archive by path. Fails for a header with a wrong checksum and for a path that occurs twice. */
export function readTar(bytes: Uint8Array): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  const decode = (start: number, end: number) =>
    new TextDecoder().decode(bytes.subarray(start, end)).replace(/\0.*/s, "")
  let longPath: string | undefined
  for (let at = 0; bytes[at]; ) {
    const size = Number.parseInt(decode(at + 124, at + 136), 8)
    const block = bytes.slice(at, at + BLOCK)
    block.fill(0x20, 148, 156)
    const checksum = block.reduce((sum, byte) => sum + byte, 0)
    if (checksum !== Number.parseInt(decode(at + 148, at + 156), 8)) throw new Error("a header has a wrong checksum")
    const content = bytes.slice(at + BLOCK, at + BLOCK + size)
    if (String.fromCharCode(bytes[at + 156] ?? 0) === "x") {
      longPath = /^\d+ path=(.*)\n/.exec(new TextDecoder().decode(content))?.[1]
    } else {
      const path = longPath ?? decode(at, at + 100)
      longPath = undefined
      if (files.has(path)) throw new Error(`${path} occurs twice`)
      files.set(path, content)
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return files
}
