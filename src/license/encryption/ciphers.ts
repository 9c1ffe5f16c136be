// The ciphers for license containers by name, and their keys.
import { createAesCbc } from "./aes-cbc"
import { createAesGcm } from "./aes-gcm"
import { decodeStrictBase64 } from "./base64"
import { type Cipher, KEY_SIZES, type Key } from "./cipher"

export type { Key } from "./cipher"

/** All ciphers. A new one encrypts, decrypts and can be chosen in the settings once it is listed here. */
export const CIPHERS = {
  "aes-128-cbc": createAesCbc(16),
  "aes-256-cbc": createAesCbc(32),
  "aes-128-gcm": createAesGcm(16),
  "aes-256-gcm": createAesGcm(32),
} satisfies Record<string, Cipher>

/** The name of a cipher, as settings store it. */
export type CipherName = keyof typeof CIPHERS

/**
 * Parses a container key.
 *
 * @param text `base64:` followed by 16 or 32 bytes in base64.
 * @returns the bytes, or null when the text is not such a key.
 */
export function parseContainerKey(text: string): Key | null {
  if (!text.startsWith("base64:")) return null
  const key = decodeStrictBase64(text.slice("base64:".length))
  return KEY_SIZES.some((size) => size === key?.length) ? key : null
}
