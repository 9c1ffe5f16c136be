// Computes digests, HMACs, random text and constant-time comparisons.

import { timingSafeEqual } from "node:crypto"
import { randomBytes } from "./random"

const encoder = new TextEncoder()

/** SHA-256 of a text's UTF-8 bytes, or of bytes, in lower-case hex. */
export async function sha256(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()
}

/**
 * HMAC-SHA256 (RFC 2104).
 * @param key the key's bytes, or a text whose UTF-8 bytes are the key
 * @param message the text to authenticate
 * @returns 32 bytes
 */
export async function hmacSha256(key: string | Uint8Array<ArrayBuffer>, message: string): Promise<Uint8Array> {
  const bytes = typeof key === "string" ? encoder.encode(key) : key
  const imported = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(message)))
}

/** Whether two texts are equal, in time that depends only on the length of `actual`. */
export function equalSecrets(actual: string, expected: string): boolean {
  const a = encoder.encode(actual)
  const b = encoder.encode(expected)
  // Unequal lengths are compared too, so that timing does not reveal the expected length.
  return timingSafeEqual(a, a.length === b.length ? b : a) && a.length === b.length
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Returns `length` random base-62 characters with uniform distribution. */
export function randomBase62(length: number): string {
  let text = ""
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte; larger values would favour the first letters.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}
