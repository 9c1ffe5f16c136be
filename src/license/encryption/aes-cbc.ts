// AES-CBC with HMAC-SHA256, as Laravel's encrypter combines them: encrypt, then authenticate.

import { equalSecrets, hmacSha256 } from "../../lib/hash"
import { randomBytes } from "../../lib/random"
import { decodeStrictBase64 } from "./base64"
import type { Cipher, Key, KeySize } from "./cipher"

/** One block. */
const IV_BYTES = 16

/** Creates the cipher for a key size. Its envelopes have a `mac` and an empty `tag`. */
export const createAesCbc = (keyBytes: KeySize): Cipher => ({
  keyBytes,
  async seal(key, plaintext) {
    const iv = randomBytes(IV_BYTES)
    const aes = await crypto.subtle.importKey("raw", key, "AES-CBC", false, ["encrypt"])
    const value = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-CBC", iv }, aes, plaintext)).toBase64()
    return { iv: iv.toBase64(), value, mac: await computeMac(key, iv.toBase64(), value), tag: "" }
  },
  async open(key, envelope) {
    if (envelope.mac === "" || envelope.tag !== "") return null
    // The MAC is verified before decryption, which rules out padding-oracle attacks.
    if (!equalSecrets(envelope.mac, await computeMac(key, envelope.iv, envelope.value))) return null
    const iv = decodeStrictBase64(envelope.iv)
    const value = decodeStrictBase64(envelope.value)
    if (!iv || !value) return null
    const aes = await crypto.subtle.importKey("raw", key, "AES-CBC", false, ["decrypt"])
    // WebCrypto throws for a wrong padding or IV.
    const plaintext = await crypto.subtle.decrypt({ name: "AES-CBC", iv }, aes, value).catch(() => null)
    return plaintext && new Uint8Array(plaintext)
  },
})

/** The framework authenticates the base64 strings, not the bytes that they encode. */
const computeMac = async (key: Key, iv: string, value: string): Promise<string> =>
  (await hmacSha256(key, iv + value)).toHex()
