// Decrypts license files of legacy clients: 128 hex digits of HMAC-SHA512, then the authenticated base64 text, which is
// a 16-byte IV followed by AES-128-CBC over `{"license", "client"}`.
import * as z from "zod"
import { equalSecrets } from "../../lib/hash"
import { type Bytes, decodeStrictBase64 } from "./base64"

const MAC_DIGITS = 128
const IV_BYTES = 16
const KEY_BYTES = 16

const payloadSchema = z.object({ license: z.string(), client: z.string() })

/** The license code and the name of the client it was issued to. */
export type LegacyPayload = z.output<typeof payloadSchema>

const encoder = new TextEncoder()

/**
 * Decrypts a license file.
 *
 * @param text untrusted, but of bounded length.
 * @param secret the legacy encryption key; an empty one is rejected.
 * @returns null when the text is not a license file, was altered, or was encrypted with another key.
 */
export async function decryptLegacyFile(text: string, secret: string): Promise<LegacyPayload | null> {
  const body = text.slice(MAC_DIGITS)
  const bytes = decodeStrictBase64(body)
  if (secret === "" || bytes === null) return null

  const keys = await deriveKeys(secret)
  if (!equalSecrets(text.slice(0, MAC_DIGITS), await mac(keys.authentication, body))) return null
  const aes = await crypto.subtle.importKey("raw", keys.encryption, "AES-CBC", false, ["decrypt"])
  const algorithm = { name: "AES-CBC", iv: bytes.subarray(0, IV_BYTES) }
  try {
    const plain = await crypto.subtle.decrypt(algorithm, aes, bytes.subarray(IV_BYTES))
    return payloadSchema.safeParse(JSON.parse(new TextDecoder().decode(plain))).data ?? null
  } catch {
    return null
  }
}

/**
 * Derives both keys with HKDF-SHA512 (RFC 5869), compatible with the original library: it derives an encryption key as
 * long as the secret, of which AES-128 uses the first 16 bytes, zero-padded if shorter.
 */
async function deriveKeys(secret: string): Promise<{ encryption: Bytes; authentication: Bytes }> {
  const bytes = encoder.encode(secret)
  const material = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"])
  const derive = async (info: string, length: number) => {
    const algorithm = { name: "HKDF", hash: "SHA-512", salt: new Uint8Array(64), info: encoder.encode(info) }
    return new Uint8Array(await crypto.subtle.deriveBits(algorithm, material, length * 8))
  }

  const encryption = new Uint8Array(KEY_BYTES)
  // A shorter HKDF output is a prefix of a longer one, so only the first 16 bytes are derived.
  encryption.set(await derive("encryption", Math.min(bytes.length, KEY_BYTES)))
  return { encryption, authentication: await derive("authentication", 64) }
}

async function mac(key: Bytes, body: string): Promise<string> {
  const hmac = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-512" }, false, ["sign"])
  return new Uint8Array(await crypto.subtle.sign("HMAC", hmac, encoder.encode(body))).toHex()
}
