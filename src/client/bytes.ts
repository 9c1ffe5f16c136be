// Bytes, encodings and HMAC of webhook signatures.

/** Computes an HMAC-SHA256. */
export async function computeHmac(key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const imported = await crypto.subtle.importKey("raw", key as BufferSource, algorithm, false, ["sign"])
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data as BufferSource))
}

/** Encodes text as UTF-8. */
export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Concatenates bytes. */
export function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

/** Decodes hexadecimal digits. */
export const decodeHex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, index) => Number.parseInt(text.slice(index * 2, index * 2 + 2), 16))

/** Decodes base64; null when it is invalid. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

/** Encodes bytes as hexadecimal digits. */
export const encodeHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Encodes bytes as base64. */
export const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
