// Secrets at rest: AES-256-GCM under the application's key, as `v1.<nonce>.<ciphertext>` in base64url.

/** The application's key; while it is being changed the one before it, too, which opens what it once sealed and seals nothing. */
export interface ApplicationKey {
  /** 32 bytes. */
  readonly current: Uint8Array<ArrayBuffer>
  /** 32 bytes; null when no key is being changed. */
  readonly previous: Uint8Array<ArrayBuffer> | null
}

/** A container as it stands in a column. */
const CONTAINER = /^v1\.[\w-]{16}\.[\w-]{22,}$/

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
 * Encrypts a text under the current key.
 * @param text what to hide
 * @returns the container; a new one every time
 */
export async function encrypt({ current }: ApplicationKey, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await importKey(current), encoder.encode(text))
  return `v1.${iv.toBase64(BASE64URL)}.${new Uint8Array(sealed).toBase64(BASE64URL)}`
}

/**
 * Decrypts what `encrypt` made, under the current key or the one before it.
 * @param container the stored text
 * @returns the text, or null when the key is another or the container was altered
 */
export const decrypt = async ({ current, previous }: ApplicationKey, container: string): Promise<string | null> =>
  (await open(current, container)) ?? (previous && (await open(previous, container)))

/**
 * What a stored text has to become so that the current key alone opens it.
 * @returns the text itself where that is so already, or where it is no container at all; null for one that neither key opens
 */
export async function reseal(key: ApplicationKey, stored: string): Promise<string | null> {
  if (!CONTAINER.test(stored) || (await open(key.current, stored)) !== null) return stored
  const text = key.previous && (await open(key.previous, stored))
  return text === null ? null : encrypt(key, text)
}

async function open(key: Uint8Array<ArrayBuffer>, container: string): Promise<string | null> {
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
