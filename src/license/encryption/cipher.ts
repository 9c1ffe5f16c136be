// The interface of the ciphers for license containers.
import type { Bytes } from "./base64"

/** The key sizes of all ciphers, in bytes; the largest first. */
export const KEY_SIZES = [32, 16] as const

export type KeySize = (typeof KEY_SIZES)[number]

/** A container key, of one of the key sizes. */
export type Key = Bytes

/**
 * The fields of a container, in the order in which the framework writes them. Empty where a cipher has no such field.
 */
export interface Envelope {
  /** The initialisation vector, in base64. */
  iv: string
  /** The ciphertext, in base64. */
  value: string
  /** HMAC-SHA256 in hex, of ciphers that do not authenticate. */
  mac: string
  /** The authentication tag in base64, of ciphers that do. */
  tag: string
}

/** A cipher with its layout of the envelope. */
export interface Cipher {
  readonly keyBytes: KeySize
  /**
   * Encrypts with a new initialisation vector.
   * @param key of `keyBytes` bytes
   */
  seal(key: Key, plaintext: Uint8Array): Promise<Envelope>
  /**
   * Authenticates and decrypts.
   * @param key of `keyBytes` bytes
   * @param envelope untrusted
   * @returns null when the envelope has another cipher's layout, was altered, or was sealed with another key
   */
  open(key: Key, envelope: Envelope): Promise<Bytes | null>
}
