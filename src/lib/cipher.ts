// Secrets at rest: AES-256-GCM under the application's key, as `v1.<nonce>.<ciphertext>` in base64url.

const encoder = new TextEncoder()
const BASE64URL = { alphabet: "base64url", omitPadding: true } as const

/** The bytes of an application key written `base64:…`, or null when it is not 32 bytes in that form. */
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
 * Encrypts a text.
 * @param key 32 bytes
 * @param text what to hide
 * @returns the container; a new one every time
 */
export async function encrypt(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await importKey(key), encoder.encode(text))
  return `v1.${iv.toBase64(BASE64URL)}.${new Uint8Array(sealed).toBase64(BASE64URL)}`
}

/**
 * Decrypts what `encrypt` made.
 * @param key 32 bytes
 * @param container the stored text
 * @returns the text, or null when the key is another or the container was altered
 */
export async function decrypt(key: Uint8Array<ArrayBuffer>, container: string): Promise<string | null> {
  const [version, nonce, sealed] = container.split(".")
  if (version !== "v1" || !nonce || !sealed) return null
  try {
    const iv = Uint8Array.fromBase64(nonce, { alphabet: "base64url" })
    const bytes = Uint8Array.fromBase64(sealed, { alphabet: "base64url" })
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, await importKey(key), bytes))
  } catch {
    return null
  }
}
