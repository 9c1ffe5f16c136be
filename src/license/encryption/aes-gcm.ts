// AES-GCM, which encrypts and authenticates.
import { randomBytes } from "../../lib/random"
import { decodeStrictBase64 } from "./base64"
import type { Cipher, KeySize } from "./cipher"

/** The recommended 96 bits (NIST SP 800-38D). */
const IV_BYTES = 12

const TAG_BYTES = 16

/** Creates the cipher for a key size. Its envelopes have a `tag` and an empty `mac`. */
export const createAesGcm = (keyBytes: KeySize): Cipher => ({
  keyBytes,
  async seal(key, plaintext) {
    const iv = randomBytes(IV_BYTES)
    const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"])
    // WebCrypto appends the tag to the ciphertext; the envelope has it in a separate field.
    const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, aes, plaintext))
    const value = sealed.subarray(0, -TAG_BYTES).toBase64()
    return { iv: iv.toBase64(), value, mac: "", tag: sealed.subarray(-TAG_BYTES).toBase64() }
  },
  async open(key, envelope) {
    if (envelope.mac !== "") return null
    const iv = decodeStrictBase64(envelope.iv)
    const value = decodeStrictBase64(envelope.value)
    const tag = decodeStrictBase64(envelope.tag)
    // With a shorter tag, WebCrypto would take the missing bytes from the ciphertext.
    if (!iv || !value || tag?.length !== TAG_BYTES) return null
    const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"])
    // WebCrypto throws for a wrong tag or IV; it compares tags in constant time.
    const plaintext = await crypto.subtle
      .decrypt({ name: "AES-GCM", iv }, aes, Uint8Array.of(...value, ...tag))
      .catch(() => null)
    return plaintext && new Uint8Array(plaintext)
  },
})
