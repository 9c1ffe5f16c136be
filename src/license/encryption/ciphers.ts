// The four ciphers for license containers, and their keys.
import { type Bytes, decodeStrictBase64 } from "./base64"

/** 16 or 32 bytes. */
export type Key = Bytes

export type CipherName = "aes-128-cbc" | "aes-256-cbc" | "aes-128-gcm" | "aes-256-gcm"

interface Cipher {
  /** The WebCrypto name; the key's length selects the size. */
  algorithm: "AES-CBC" | "AES-GCM"
  keyBytes: 16 | 32
}

export const CIPHERS: Record<CipherName, Cipher> = {
  "aes-128-cbc": { algorithm: "AES-CBC", keyBytes: 16 },
  "aes-256-cbc": { algorithm: "AES-CBC", keyBytes: 32 },
  "aes-128-gcm": { algorithm: "AES-GCM", keyBytes: 16 },
  "aes-256-gcm": { algorithm: "AES-GCM", keyBytes: 32 },
}

/** Bytes of the initialisation vector: one block for CBC, the recommended 96 bits for GCM (NIST SP 800-38D). */
export const IV_BYTES = { "AES-CBC": 16, "AES-GCM": 12 } as const

/**
 * Parses a container key.
 *
 * @param text `base64:` followed by 16 or 32 bytes in base64.
 * @returns the bytes, or null when the text is not such a key.
 */
export function parseContainerKey(text: string): Key | null {
  if (!text.startsWith("base64:")) return null
  const key = decodeStrictBase64(text.slice("base64:".length))
  return key?.length === 16 || key?.length === 32 ? key : null
}
