// Encrypts secrets at rest with AES-256-GCM under the application's key, as `v1.<nonce>.<ciphertext>` in base64url.
import { randomBytes } from "./random"

/** The application's key and, during a rotation, the previous key, which only decrypts. */
export interface ApplicationKey {
  /** 32 bytes. */
  readonly current: Uint8Array<ArrayBuffer>
  /** 32 bytes; null outside of a rotation. */
  readonly previous: Uint8Array<ArrayBuffer> | null
}

/** Matches a stored ciphertext. */
const CONTAINER = /^v1\.[\w-]{16}\.[\w-]{22,}$/

const encoder = new TextEncoder()
const BASE64URL = { alphabet: "base64url", omitPadding: true } as const

/** Parses an application key written as `base64:…`; null unless it has 32 bytes. */
export function applicationKey(text: string): Uint8Array<ArrayBuffer> | null {
  if (!text.startsWith("base64:")) return null
  try {
    const bytes = Uint8Array.fromBase64(text.slice(7))
    return bytes.length === 32 ? bytes : null
  } catch {
    return null
  }
}

const importKey = (key: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"])

/**
 * Encrypts a text or data under the current key.
 * @returns the ciphertext, different on every call
 */
export async function encrypt({ current }: ApplicationKey, plain: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const iv = randomBytes(12)
  const data = typeof plain === "string" ? encoder.encode(plain) : plain
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await importKey(current), data)
  return `v1.${iv.toBase64(BASE64URL)}.${new Uint8Array(sealed).toBase64(BASE64URL)}`
}

/**
 * Decrypts a ciphertext of `encrypt` with the current or the previous key.
 * @param container the stored ciphertext
 * @returns the plaintext; null when neither key fits or the ciphertext was modified
 */
export async function decrypt(key: ApplicationKey, container: string): Promise<string | null> {
  const data = await decryptBytes(key, container)
  return data && new TextDecoder().decode(data)
}

/** Decrypts a ciphertext as `decrypt`, to the data that was encrypted. */
export const decryptBytes = async (
  { current, previous }: ApplicationKey,
  container: string,
): Promise<Uint8Array<ArrayBuffer> | null> =>
  (await open(current, container)) ?? (previous && (await open(previous, container)))

/**
 * Re-encrypts a stored text under the current key, if needed.
 * @returns the text unchanged when the current key decrypts it or when it is not a ciphertext; null when neither key
 *   fits
 */
export async function reencrypt(key: ApplicationKey, stored: string): Promise<string | null> {
  if (!CONTAINER.test(stored) || (await open(key.current, stored)) !== null) return stored
  const data = key.previous && (await open(key.previous, stored))
  return data === null ? null : encrypt(key, data)
}

async function open(key: Uint8Array<ArrayBuffer>, container: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const [version, nonce, sealed] = container.split(".")
  if (version !== "v1" || !nonce || !sealed) return null
  try {
    const iv = Uint8Array.fromBase64(nonce, { alphabet: "base64url" })
    const bytes = Uint8Array.fromBase64(sealed, { alphabet: "base64url" })
    return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, await importKey(key), bytes))
  } catch {
    return null
  }
}
