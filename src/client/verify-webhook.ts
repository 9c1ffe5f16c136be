// Verifies received webhooks and parses their events.
import { computeHmac, concatBytes, decodeBase64, decodeHex, encode } from "./bytes.ts"
import type { TenancyEvent } from "./types.ts"

const DEFAULT_TOLERANCE_SECONDS = 300

/** Longer headers are not parsed. */
const MAX_HEADER_LENGTH = 4_096

/** A received webhook: the headers of any framework, and the raw body. */
export interface ReceivedWebhook {
  headers: Headers | Record<string, string | string[] | undefined>
  /** The raw body; a parsed and re-serialized body cannot be verified. */
  body: string | Uint8Array | ArrayBufferLike
}

/** Why a webhook was refused. */
export type WebhookRefusal =
  /** The signature is missing or malformed. */
  | "signature_missing"
  /** The timestamp is too far from the current time: a replayed delivery, or a wrong clock. */
  | "timestamp_outside_tolerance"
  /** No signature matches the body with any of the secrets. */
  | "signature_mismatch"
  /** The signature is valid, but the body is not an event. */
  | "invalid_body"

const MESSAGES: Record<WebhookRefusal, string> = {
  signature_missing: "The webhook has no valid signature header",
  timestamp_outside_tolerance: "The webhook's timestamp is outside the tolerance",
  signature_mismatch: "No signature of the webhook matches its body and the given secrets",
  invalid_body: "The webhook's body is not an event",
}

/** Thrown for a webhook that must not be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly code: WebhookRefusal

  constructor(code: WebhookRefusal) {
    super(MESSAGES[code])
    this.code = code
  }
}

/** The parsed headers of one signature scheme. */
interface SignatureClaim {
  /** Signed in front of the body. */
  prefix: string
  /** Seconds since 1970. */
  timestamp: number
  signatures: Uint8Array[]
  /** Derives the HMAC key from a secret; null for an invalid secret. */
  keyOf: (secret: string) => Uint8Array | null
}

/**
 * Verifies either signature of a webhook in constant time: the platform's own (`X-Tenancy-Signature`) or that of
 * Standard Webhooks (https://www.standardwebhooks.com).
 * @param secret the endpoint's signing secret, or several during the grace period of a rotation
 * @param options.tolerance allowed age of the timestamp in seconds, in either direction; 300 by default
 * @returns the event; use its `id` to detect repeated deliveries
 * @throws WebhookVerificationError when verification fails; TypeError without a secret, the headers or the raw body
 */
export async function verifyWebhook(
  { headers, body }: ReceivedWebhook,
  secret: string | readonly string[],
  { tolerance = DEFAULT_TOLERANCE_SECONDS }: { tolerance?: number } = {},
): Promise<TenancyEvent> {
  const secrets = [secret].flat()
  if (typeof headers !== "object" || headers === null) throw new TypeError("verifyWebhook needs the request's headers")
  if (!secrets.length || secrets.some((text) => typeof text !== "string" || text === ""))
    throw new TypeError("verifyWebhook needs the endpoint's signing secret")
  const bytes = toBytes(body)
  const readHeader = createHeaderReader(headers)
  const claims = [parsePlatformSignature(readHeader), parseStandardSignature(readHeader)].filter(
    (claim) => claim !== null,
  )
  if (!claims.length) throw new WebhookVerificationError("signature_missing")
  const now = Date.now() / 1000
  const recent = claims.filter(({ timestamp }) => Math.abs(now - timestamp) <= tolerance)
  if (!recent.length) throw new WebhookVerificationError("timestamp_outside_tolerance")
  for (const claim of recent) if (await matchesSignature(claim, secrets, bytes)) return parseEvent(bytes)
  throw new WebhookVerificationError("signature_mismatch")
}

/** @throws TypeError for anything but the raw body */
function toBytes(body: ReceivedWebhook["body"]): Uint8Array {
  if (typeof body === "string") return encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body as ArrayBuffer)
  throw new TypeError(
    "verifyWebhook needs the raw body as a string or bytes, not a parsed object: read it with request.text(), or with express.raw() in Express",
  )
}

/** Parses `t=<seconds>,v1=<hex>`, with one `v1` per active secret. The HMAC of `<t>.<body>` uses the whole secret. */
function parsePlatformSignature(read: HeaderReader): SignatureClaim | null {
  const parts = read("x-tenancy-signature")
    .split(",")
    .map((part) => part.trim())
  const timestamp = parts.find((part) => part.startsWith("t="))?.slice(2) ?? ""
  const signatures = parts.filter((part) => /^v1=[0-9a-f]{64}$/i.test(part)).map((part) => decodeHex(part.slice(3)))
  if (!isSeconds(timestamp) || !signatures.length) return null
  return { prefix: `${timestamp}.`, timestamp: Number(timestamp), signatures, keyOf: encode }
}

/** Parses `v1,<base64>`, one per active secret. The HMAC of `<id>.<timestamp>.<body>` uses the decoded secret. */
function parseStandardSignature(read: HeaderReader): SignatureClaim | null {
  const id = read("webhook-id")
  const timestamp = read("webhook-timestamp")
  const signatures = read("webhook-signature")
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .map((part) => decodeBase64(part.slice(3)))
    .filter((signature) => signature !== null)
  if (!id || !isSeconds(timestamp) || !signatures.length) return null
  const deriveKey = (secret: string) => decodeBase64(secret.replace(/^whsec_/, ""))
  return { prefix: `${id}.${timestamp}.`, timestamp: Number(timestamp), signatures, keyOf: deriveKey }
}

const isSeconds = (text: string): boolean => /^\d{1,12}$/.test(text)

/** Checks whether any signature matches the body. All are compared, so the time does not depend on the match. */
async function matchesSignature(
  { prefix, signatures, keyOf }: SignatureClaim,
  secrets: string[],
  body: Uint8Array,
): Promise<boolean> {
  const signed = concatBytes(encode(prefix), body)
  let isMatch = false
  for (const secret of secrets) {
    const key = keyOf(secret)
    if (!key?.length) continue
    const expected = await computeHmac(key, signed)
    for (const signature of signatures) isMatch = isEqual(expected, signature) || isMatch
  }
  return isMatch
}

/** Compares in constant time; only the lengths affect it. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0)
  return difference === 0
}

function parseEvent(body: Uint8Array): TenancyEvent {
  try {
    const event = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body))
    if (typeof event?.id === "string" && typeof event.type === "string") return event
  } catch {
    // Reported below.
  }
  throw new WebhookVerificationError("invalid_body")
}

/** Returns a header by its lower-case name; empty when it is missing or too long. */
type HeaderReader = (name: string) => string

function createHeaderReader(headers: ReceivedWebhook["headers"]): HeaderReader {
  const found = new Map<string, string>()
  const entries = Symbol.iterator in headers ? [...(headers as Headers)] : Object.entries(headers)
  for (const [name, value] of entries) found.set(name.toLowerCase(), [value ?? ""].flat().join(","))
  return (name) => {
    const text = found.get(name) ?? ""
    return text.length > MAX_HEADER_LENGTH ? "" : text
  }
}
