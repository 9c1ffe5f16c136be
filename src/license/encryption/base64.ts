// Strict base64: rejects non-canonical encodings, so that two different texts never decode to the same bytes.

export type Bytes = Uint8Array<ArrayBuffer>

/**
 * Decodes padded base64 (RFC 4648 section 4) in canonical form: no whitespace, no non-zero bits before the padding.
 *
 * @returns the bytes, or null for any other text.
 */
export function decodeStrictBase64(text: string): Bytes | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" })
  } catch {
    return null
  }
}
