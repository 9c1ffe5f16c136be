// License data as clients store it today: what the PHP framework behind them calls an encrypted string, base64 of the JSON
// `{"iv", "value", "mac", "tag"}` around a serialised array.
import * as z from "zod"
import { equalSecrets, hmacSha256 } from "../../lib/hash"
import { type Bytes, strictBase64 } from "./base64"
import { CIPHERS, type CipherName, IV_BYTES, type Key } from "./ciphers"
import { type ContainerPayload, serialize, unserialize } from "./php-array"

const TAG_BYTES = 16

/** CBC carries a `mac` and an empty `tag`, GCM the reverse. Releases of the framework before GCM wrote no `tag` at all. */
const envelopeSchema = z.strictObject({
  iv: z.string(),
  value: z.string(),
  mac: z.string(),
  tag: z.string().default(""),
})

type Envelope = z.output<typeof envelopeSchema>

/**
 * Encrypts a payload under a new initialisation vector.
 *
 * @param key as long as the cipher asks.
 * @returns the container, a base64 text of about 270 characters.
 * @throws RangeError when the key has another length or the payload names no rows.
 */
export async function sealContainer(payload: ContainerPayload, cipher: CipherName, key: Key): Promise<string> {
  const { algorithm, keyBytes } = CIPHERS[cipher]
  if (key.length !== keyBytes) throw new RangeError(`${cipher} takes a key of ${keyBytes} bytes`)

  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES[algorithm]))
  const plain = new TextEncoder().encode(serialize(payload))
  const aes = await crypto.subtle.importKey("raw", key, algorithm, false, ["encrypt"])
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: algorithm, iv }, aes, plain))
  const envelope =
    algorithm === "AES-CBC" ? await cbcEnvelope(key, iv.toBase64(), sealed.toBase64()) : gcmEnvelope(iv, sealed)
  return new TextEncoder().encode(JSON.stringify(envelope)).toBase64()
}

/**
 * Decrypts a container, whichever of the four ciphers made it: the envelope shows the mode, the key's length the size.
 *
 * @param text untrusted, but of bounded length.
 * @param key 16 or 32 bytes.
 * @returns null when it is no container, was altered, or was made with another key.
 */
export async function openContainer(text: string, key: Key): Promise<ContainerPayload | null> {
  const envelope = readEnvelope(text)
  if (envelope === null) return null
  const plain = envelope.mac !== "" ? await openCbc(envelope, key) : await openGcm(envelope, key)
  return plain && unserialize(new TextDecoder().decode(plain))
}

async function cbcEnvelope(key: Key, iv: string, value: string): Promise<Envelope> {
  return { iv, value, mac: await mac(key, iv, value), tag: "" }
}

function gcmEnvelope(iv: Uint8Array, sealed: Uint8Array): Envelope {
  const value = sealed.subarray(0, -TAG_BYTES).toBase64()
  return { iv: iv.toBase64(), value, mac: "", tag: sealed.subarray(-TAG_BYTES).toBase64() }
}

function readEnvelope(text: string): Envelope | null {
  const bytes = strictBase64(text)
  if (bytes === null) return null
  try {
    const json: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
    return envelopeSchema.safeParse(json).data ?? null
  } catch {
    return null
  }
}

async function openCbc(envelope: Envelope, key: Key): Promise<ArrayBuffer | null> {
  // Authenticated before anything is decrypted: how padding fails must never show.
  if (envelope.tag !== "" || !equalSecrets(envelope.mac, await mac(key, envelope.iv, envelope.value))) return null
  const iv = strictBase64(envelope.iv)
  const value = strictBase64(envelope.value)
  return iv && value && decrypt("AES-CBC", key, iv, value)
}

async function openGcm(envelope: Envelope, key: Key): Promise<ArrayBuffer | null> {
  const iv = strictBase64(envelope.iv)
  const value = strictBase64(envelope.value)
  const tag = strictBase64(envelope.tag)
  // A short tag would borrow its missing bytes from the ciphertext.
  if (!iv || !value || tag?.length !== TAG_BYTES) return null
  return decrypt("AES-GCM", key, iv, Uint8Array.of(...value, ...tag))
}

async function decrypt(
  algorithm: keyof typeof IV_BYTES,
  key: Key,
  iv: Bytes,
  sealed: Bytes,
): Promise<ArrayBuffer | null> {
  const aes = await crypto.subtle.importKey("raw", key, algorithm, false, ["decrypt"])
  // A wrong tag, padding or vector makes WebCrypto throw; it compares tags in constant time.
  return crypto.subtle.decrypt({ name: algorithm, iv }, aes, sealed).catch(() => null)
}

/** The framework authenticates the base64 texts, not the bytes they stand for. */
const mac = async (key: Key, iv: string, value: string): Promise<string> => (await hmacSha256(key, iv + value)).toHex()
