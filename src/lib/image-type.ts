// What kind of picture some bytes are, by their signature; a name or a declared type proves nothing. SVG is none of these: it is
// a document that can run scripts.

export interface ImageType {
  mime: string
  extension: string
}

const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end))

const starts = (bytes: Uint8Array, signature: number[]): boolean =>
  signature.every((byte, index) => bytes[index] === byte)

/**
 * The kind of picture that bytes begin as.
 * @param bytes the first 16 or more
 * @returns null for anything but PNG, JPEG, GIF, WebP and AVIF
 */
export function imageType(bytes: Uint8Array): ImageType | null {
  if (starts(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return { mime: "image/png", extension: "png" }
  if (starts(bytes, [0xff, 0xd8, 0xff])) return { mime: "image/jpeg", extension: "jpg" }
  if (["GIF87a", "GIF89a"].includes(ascii(bytes, 0, 6))) return { mime: "image/gif", extension: "gif" }
  if (ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP") return { mime: "image/webp", extension: "webp" }
  if (ascii(bytes, 4, 8) === "ftyp" && ["avif", "avis"].includes(ascii(bytes, 8, 12))) {
    return { mime: "image/avif", extension: "avif" }
  }
  return null
}
