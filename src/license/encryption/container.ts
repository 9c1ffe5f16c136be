// Encrypts and decrypts license containers: a Laravel encrypted string, which is base64 of the JSON
// `{"iv", "value", "mac", "tag"}`, around a serialised PHP array.
import * as z from "zod"
import { equalSecrets, hmacSha256 } from "../../lib/hash"
import { type Bytes, decodeStrictBase64 } from "./base64"
import { CIPHERS, type CipherName, IV_BYTES, type Key } from "./ciphers"
import { type ContainerPayload, serialize, unserialize } from "./php-array"

const TAG_BYTES = 16

/** CBC has a `mac` and an empty `tag`, GCM the reverse. Framework versions without GCM support wrote no `tag`. */
const envelopeSchema = z.strictObject({
  iv: z.string(),
  value: z.string(),
  mac: z.string(),
  tag: z.string().default(""),
})

type Envelope = z.output<typeof envelopeSchema>

/**
 * Encrypts a payload with a new initialisation vector.
 *
 * @param key of the cipher's key length.
 * @returns the container, a base64 string of about 270 characters.
 * @throws RangeError when the key has another length or the payload's ids are not positive integers.
 */
export async function encryptContainer(payload: ContainerPayload, cipher: CipherName, key: Key): Promise<string> {
  const { algorithm, keyBytes } = CIPHERS[cipher]
  if (key.length !== keyBytes) throw new RangeError(`${cipher} requires a ${keyBytes}-byte key`)

  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES[algorithm]))
  const plain = new TextEncoder().encode(serialize(payload))
  const aes = await crypto.subtle.importKey("raw", key, algorithm, false, ["encrypt"])
  const ciphertext = new Uint8Array(await crypto.subtle.encrypt({ name: algorithm, iv }, aes, plain))
  const envelope =
    algorithm === "AES-CBC"
      ? await buildCbcEnvelope(key, iv.toBase64(), ciphertext.toBase64())
      : buildGcmEnvelope(iv, ciphertext)
  return new TextEncoder().encode(JSON.stringify(envelope)).toBase64()
}

/**
 * Decrypts a container of any of the four ciphers: the envelope determines the mode, the key length the size.
 *
 * @param text untrusted, but of bounded length.
 * @param key 16 or 32 bytes.
 * @returns null when the text is not a container, was altered, or was encrypted with another key.
 */
export async function decryptContainer(text: string, key: Key): Promise<ContainerPayload | null> {
  const envelope = parseEnvelope(text)
  if (envelope === null) return null
  const plain = envelope.mac !== "" ? await decryptCbc(envelope, key) : await decryptGcm(envelope, key)
  return plain && unserialize(new TextDecoder().decode(plain))
}

async function buildCbcEnvelope(key: Key, iv: string, value: string): Promise<Envelope> {
  return { iv, value, mac: await computeMac(key, iv, value), tag: "" }
}

function buildGcmEnvelope(iv: Uint8Array, ciphertext: Uint8Array): Envelope {
  const value = ciphertext.subarray(0, -TAG_BYTES).toBase64()
  return { iv: iv.toBase64(), value, mac: "", tag: ciphertext.subarray(-TAG_BYTES).toBase64() }
}

function parseEnvelope(text: string): Envelope | null {
  const bytes = decodeStrictBase64(text)
  if (bytes === null) return null
  try {
    const json: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
    return envelopeSchema.safeParse(json).data ?? null
  } catch {
    return null
  }
}

async function decryptCbc(envelope: Envelope, key: Key): Promise<ArrayBuffer | null> {
  // The MAC is verified before decryption, which rules out padding-oracle attacks.
  if (envelope.tag !== "" || !equalSecrets(envelope.mac, await computeMac(key, envelope.iv, envelope.value)))
    return null
  const iv = decodeStrictBase64(envelope.iv)
  const value = decodeStrictBase64(envelope.value)
  return iv && value && decrypt("AES-CBC", key, iv, value)
}

async function decryptGcm(envelope: Envelope, key: Key): Promise<ArrayBuffer | null> {
  const iv = decodeStrictBase64(envelope.iv)
  const value = decodeStrictBase64(envelope.value)
  const tag = decodeStrictBase64(envelope.tag)
  // With a shorter tag, WebCrypto would take the missing bytes from the ciphertext.
  if (!iv || !value || tag?.length !== TAG_BYTES) return null
  return decrypt("AES-GCM", key, iv, Uint8Array.of(...value, ...tag))
}

async function decrypt(
  algorithm: keyof typeof IV_BYTES,
  key: Key,
  iv: Bytes,
  ciphertext: Bytes,
): Promise<ArrayBuffer | null> {
  const aes = await crypto.subtle.importKey("raw", key, algorithm, false, ["decrypt"])
  // WebCrypto throws for a wrong tag, padding or IV; it compares tags in constant time.
  return crypto.subtle.decrypt({ name: algorithm, iv }, aes, ciphertext).catch(() => null)
}

/** The framework authenticates the base64 strings, not the bytes that they encode. */
const computeMac = async (key: Key, iv: string, value: string): Promise<string> =>
  (await hmacSha256(key, iv + value)).toHex()
