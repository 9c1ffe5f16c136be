// Verifies passkey registrations and assertions (W3C Web Authentication Level 3). Attestation is not requested, because
// the authenticator's manufacturer does not matter here.
import { equalSecrets } from "./hash"

const BASE64URL = { alphabet: "base64url" } as const

/** The accepted algorithms by their COSE numbers (RFC 9053). */
const ALGORITHMS = { "-7": "ES256", "-8": "EdDSA", "-257": "RS256" } as const

export type PasskeyAlgorithm = (typeof ALGORITHMS)[keyof typeof ALGORITHMS]

/** The expected values of a ceremony. */
export interface Ceremony {
  /** The relying party id: the host that passkeys are for. */
  rpId: string
  /** Scheme, host and port of the requesting page. */
  origin: string
  /** The issued challenge. */
  challenge: string
}

/** An authenticator's response to a registration; bytes in base64url. */
export interface Registration {
  credentialId: string
  clientData: string
  authenticatorData: string
  /** SubjectPublicKeyInfo, from `getPublicKey()`. */
  publicKey: string
  /** A COSE number, from `getPublicKeyAlgorithm()`. */
  algorithm: string
}

/** An authenticator's response to an authentication. */
export interface Assertion {
  clientData: string
  authenticatorData: string
  signature: string
}

/** A registered key. */
export interface KnownKey {
  publicKey: string
  algorithm: PasskeyAlgorithm
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

/** Offsets in the authenticator data (section 6.1). */
const FLAGS_AT = 32
const COUNTER_AT = 33
const ID_LENGTH_AT = 53
const ID_AT = 55

/**
 * Verifies a registration.
 * @returns the algorithm and the counter; null for another challenge or site, or without user presence and verification
 */
export async function verifyRegistration(
  { rpId, origin, challenge }: Ceremony,
  registration: Registration,
): Promise<{ algorithm: PasskeyAlgorithm; counter: number } | null> {
  if (!isResponse(registration.clientData, { type: "webauthn.create", origin, challenge })) return null
  const data = bytesOf(registration.authenticatorData)
  const counter = data && (await counterOf(data, rpId))
  if (!data || counter === null || !((data[FLAGS_AT] ?? 0) & HAS_CREDENTIAL)) return null
  const length = ((data[ID_LENGTH_AT] ?? 0) << 8) | (data[ID_LENGTH_AT + 1] ?? 0)
  const id = bytesOf(registration.credentialId)
  if (!id || !length || !isEqual(data.subarray(ID_AT, ID_AT + length), id)) return null
  const algorithm = ALGORITHMS[registration.algorithm as keyof typeof ALGORITHMS]
  if (!algorithm || !(await keyOf({ publicKey: registration.publicKey, algorithm }))) return null
  return { algorithm, counter }
}

/**
 * Verifies that a registered key signed the challenge for this site, with user presence and verification.
 * @returns the authenticator's counter; null when verification fails
 */
export async function verifyAssertion(
  { rpId, origin, challenge }: Ceremony,
  assertion: Assertion,
  known: KnownKey,
): Promise<number | null> {
  if (!isResponse(assertion.clientData, { type: "webauthn.get", origin, challenge })) return null
  const [data, client, signature] = [assertion.authenticatorData, assertion.clientData, assertion.signature].map(
    bytesOf,
  )
  const counter = data ? await counterOf(data, rpId) : null
  const key = await keyOf(known)
  if (!data || !client || !signature || counter === null || !key) return null
  const signed = new Uint8Array([...data, ...new Uint8Array(await crypto.subtle.digest("SHA-256", client))])
  const raw = known.algorithm === "ES256" ? rawSignature(signature) : signature
  if (!raw) return null
  const isSigned = await crypto.subtle.verify(PARAMETERS[known.algorithm].verify, key, raw, signed).catch(() => false)
  return isSigned ? counter : null
}

/** Returns the challenge in a response's client data, unverified; null when it cannot be parsed. */
export const challengeIn = (clientData: string): string | null => clientDataOf(clientData)?.challenge ?? null

/** Maximum length of client data in base64url. */
const MAX_CLIENT_DATA_BYTES = 4_000

function clientDataOf(text: string): { type: string; challenge: string; origin: string; crossOrigin?: boolean } | null {
  const bytes = text.length <= MAX_CLIENT_DATA_BYTES ? bytesOf(text) : null
  if (!bytes) return null
  try {
    const data = JSON.parse(new TextDecoder().decode(bytes))
    const { type, challenge, origin } = data ?? {}
    return [type, challenge, origin].every((value) => typeof value === "string") ? data : null
  } catch {
    return null
  }
}

/** Whether the client data matches the challenge and the origin, and the page was not in a cross-origin frame. */
function isResponse(clientData: string, expected: { type: string; challenge: string; origin: string }): boolean {
  const data = clientDataOf(clientData)
  if (data?.type !== expected.type || data.origin !== expected.origin || data.crossOrigin === true) return false
  return equalSecrets(data.challenge, expected.challenge)
}

/** Returns the counter of authenticator data for this site with user presence and verification; else null. */
async function counterOf(data: Uint8Array<ArrayBuffer>, rpId: string): Promise<number | null> {
  if (data.length < COUNTER_AT + 4) return null
  const site = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(rpId)))
  const flags = data[FLAGS_AT] ?? 0
  if (!isEqual(data.subarray(0, FLAGS_AT), site) || !(flags & USER_PRESENT) || !(flags & USER_VERIFIED)) return null
  return new DataView(data.buffer, data.byteOffset).getUint32(COUNTER_AT)
}

const PARAMETERS = {
  ES256: { import: { name: "ECDSA", namedCurve: "P-256" }, verify: { name: "ECDSA", hash: "SHA-256" } },
  RS256: { import: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, verify: { name: "RSASSA-PKCS1-v1_5" } },
  EdDSA: { import: { name: "Ed25519" }, verify: { name: "Ed25519" } },
} as const

/** Enough for RSA keys of 4096 bits, in base64url. */
const MAX_PUBLIC_KEY_BYTES = 1_000

async function keyOf({ publicKey, algorithm }: KnownKey): Promise<CryptoKey | null> {
  const bytes = publicKey.length <= MAX_PUBLIC_KEY_BYTES ? bytesOf(publicKey) : null
  if (!bytes) return null
  return crypto.subtle.importKey("spki", bytes, PARAMETERS[algorithm].import, false, ["verify"]).catch(() => null)
}

/** Converts a P-256 ECDSA signature from DER (RFC 3279) to the raw form that WebCrypto takes. */
function rawSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const raw = new Uint8Array(64)
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0
    const number = der.subarray(at + 2, at + 2 + length)
    if (der[at] !== 0x02 || number.length !== length || length === 0 || length > 33) return null
    const digits = number[0] === 0 ? number.subarray(1) : number
    if (digits.length > 32) return null
    raw.set(digits, end - digits.length)
    at += 2 + length
  }
  return at === der.length ? raw : null
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.fromBase64(text, BASE64URL)
  } catch {
    return null
  }
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at])
