// Base64 of which every byte string has exactly one spelling, so that no character of a container can change unnoticed.

export type Bytes = Uint8Array<ArrayBuffer>

/**
 * Decodes padded base64 (RFC 4648 section 4) in its canonical spelling: no white space, no stray bits before the padding.
 *
 * @returns the bytes, or null for any other text.
 */
export function strictBase64(text: string): Bytes | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" })
  } catch {
    return null
  }
}
