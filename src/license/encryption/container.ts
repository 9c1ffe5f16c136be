// Encrypts and decrypts license containers: a Laravel encrypted string, which is base64 of the JSON
// `{"iv", "value", "mac", "tag"}`, around a serialised PHP array.
import * as z from "zod"
import { decodeStrictBase64 } from "./base64"
import type { Envelope, Key } from "./cipher"
import { CIPHERS, type CipherName } from "./ciphers"
import { type ContainerPayload, serialize, unserialize } from "./php-array"

/** Framework versions without authenticating ciphers wrote no `tag`. */
const envelopeSchema: z.ZodType<Envelope> = z.strictObject({
  iv: z.string(),
  value: z.string(),
  mac: z.string(),
  tag: z.string().default(""),
})

/**
 * Encrypts a payload with a new initialisation vector.
 *
 * @param key of the cipher's key length.
 * @returns the container, a base64 string of about 270 characters.
 * @throws RangeError when the key has another length or the payload's ids are not positive integers.
 */
export async function encryptContainer(payload: ContainerPayload, name: CipherName, key: Key): Promise<string> {
  const cipher = CIPHERS[name]
  if (key.length !== cipher.keyBytes) throw new RangeError(`${name} requires a ${cipher.keyBytes}-byte key`)
  const envelope = await cipher.seal(key, new TextEncoder().encode(serialize(payload)))
  return new TextEncoder().encode(JSON.stringify(envelope)).toBase64()
}

/**
 * Decrypts a container of any cipher with the key's length; each recognises its own envelopes.
 *
 * @param text untrusted, but of bounded length.
 * @returns null when the text is not a container, was altered, or was encrypted with another key.
 */
export async function decryptContainer(text: string, key: Key): Promise<ContainerPayload | null> {
  const envelope = parseEnvelope(text)
  if (envelope === null) return null
  for (const cipher of Object.values(CIPHERS)) {
    const plaintext = cipher.keyBytes === key.length ? await cipher.open(key, envelope) : null
    if (plaintext) return unserialize(new TextDecoder().decode(plaintext))
  }
  return null
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
