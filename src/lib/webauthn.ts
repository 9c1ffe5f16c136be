// Passkeys (W3C Web Authentication Level 3): what an authenticator says, checked. No attestation is asked for: whose make an
// authenticator is, nobody here wants to know.
import { equalSecrets } from "./hash"

const BASE64URL = { alphabet: "base64url" } as const

/** Names of the algorithms that are asked for, by their COSE numbers (RFC 9053). */
const ALGORITHMS = { "-7": "ES256", "-8": "EdDSA", "-257": "RS256" } as const

export type PasskeyAlgorithm = (typeof ALGORITHMS)[keyof typeof ALGORITHMS]

/** What both ceremonies are held against. */
export interface Ceremony {
  /** The relying party's id: the host that passkeys are for. */
  rpId: string
  /** Scheme, host and port of the page that asked. */
  origin: string
  /** As it was handed out. */
  challenge: string
}

/** What an authenticator answers when a key is made; bytes in base64url. */
export interface Registration {
  credentialId: string
  clientData: string
  authenticatorData: string
  /** SubjectPublicKeyInfo, as `getPublicKey()` has it. */
  publicKey: string
  /** A COSE number, as `getPublicKeyAlgorithm()` has it. */
  algorithm: string
}

/** What it answers when a key signs. */
export interface Assertion {
  clientData: string
  authenticatorData: string
  signature: string
}

/** A key that was registered. */
export interface KnownKey {
  publicKey: string
  algorithm: PasskeyAlgorithm
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

/** Where the parts of authenticator data stand (section 6.1). */
const FLAGS_AT = 32
const COUNTER_AT = 33
const ID_LENGTH_AT = 53
const ID_AT = 55

/**
 * A new key, if all about it is as it was asked for.
 * @returns the algorithm and the counter; null for an answer to another question, of another site, or of nobody
 */
export async function verifyRegistration(
  { rpId, origin, challenge }: Ceremony,
  given: Registration,
): Promise<{ algorithm: PasskeyAlgorithm; counter: number } | null> {
  if (!isAnswer(given.clientData, { type: "webauthn.create", origin, challenge })) return null
  const data = bytesOf(given.authenticatorData)
  const counter = data && (await counterOf(data, rpId))
  if (!data || counter === null || !((data[FLAGS_AT] ?? 0) & HAS_CREDENTIAL)) return null
  const length = ((data[ID_LENGTH_AT] ?? 0) << 8) | (data[ID_LENGTH_AT + 1] ?? 0)
  const id = bytesOf(given.credentialId)
  if (!id || !length || !isEqual(data.subarray(ID_AT, ID_AT + length), id)) return null
  const algorithm = ALGORITHMS[given.algorithm as keyof typeof ALGORITHMS]
  if (!algorithm || !(await keyOf({ publicKey: given.publicKey, algorithm }))) return null
  return { algorithm, counter }
}

/**
 * Whether a key that is known signed the challenge, for this site, and its user was asked.
 * @returns the authenticator's counter; null when it did not
 */
export async function verifyAssertion(
  { rpId, origin, challenge }: Ceremony,
  given: Assertion,
  known: KnownKey,
): Promise<number | null> {
  if (!isAnswer(given.clientData, { type: "webauthn.get", origin, challenge })) return null
  const [data, client, signature] = [given.authenticatorData, given.clientData, given.signature].map(bytesOf)
  const counter = data ? await counterOf(data, rpId) : null
  const key = await keyOf(known)
  if (!data || !client || !signature || counter === null || !key) return null
  const signed = new Uint8Array([...data, ...new Uint8Array(await crypto.subtle.digest("SHA-256", client))])
  const raw = known.algorithm === "ES256" ? rawSignature(signature) : signature
  if (!raw) return null
  const isSigned = await crypto.subtle.verify(PARAMETERS[known.algorithm].verify, key, raw, signed).catch(() => false)
  return isSigned ? counter : null
}

/** The challenge that an answer claims to be to; null for what is no answer at all. */
export const challengeIn = (clientData: string): string | null => clientDataOf(clientData)?.challenge ?? null

/** How long what a browser says of an answer may be, in base64url. */
const MOST_CLIENT_DATA = 4_000

function clientDataOf(text: string): { type: string; challenge: string; origin: string; crossOrigin?: boolean } | null {
  const bytes = text.length <= MOST_CLIENT_DATA ? bytesOf(text) : null
  if (!bytes) return null
  try {
    const said = JSON.parse(new TextDecoder().decode(bytes))
    const { type, challenge, origin } = said ?? {}
    return [type, challenge, origin].every((value) => typeof value === "string") ? said : null
  } catch {
    return null
  }
}

/** Whether the browser says that this is an answer to the challenge, from a page of the console that nobody frames. */
function isAnswer(clientData: string, wanted: { type: string; challenge: string; origin: string }): boolean {
  const said = clientDataOf(clientData)
  if (said?.type !== wanted.type || said.origin !== wanted.origin || said.crossOrigin === true) return false
  return equalSecrets(said.challenge, wanted.challenge)
}

/** The counter of authenticator data that is of this site, and whose user was there and was verified; else null. */
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

/** RSA keys up to 4096 bits, in base64url. */
const MOST_KEY = 1_000

async function keyOf({ publicKey, algorithm }: KnownKey): Promise<CryptoKey | null> {
  const bytes = publicKey.length <= MOST_KEY ? bytesOf(publicKey) : null
  if (!bytes) return null
  return crypto.subtle.importKey("spki", bytes, PARAMETERS[algorithm].import, false, ["verify"]).catch(() => null)
}

/** An ECDSA signature of P-256 as its two numbers side by side, which is how WebCrypto takes it, from DER (RFC 3279). */
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
