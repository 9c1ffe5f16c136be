// A receiver's side of a webhook: whether it was the platform that sent this, and what it says.
import type { TenancyEvent } from "./types.ts"

/** Seconds that a delivery's timestamp may be away from this clock. */
const TOLERANCE = 300

/** Longer headers are nobody's signature. */
const LONGEST_HEADER = 4_096

/** How a webhook came in: any framework's headers, and the body exactly as it was received. */
export interface ReceivedWebhook {
  headers: Headers | Record<string, string | string[] | undefined>
  /** The raw body: what a parser made of it can no longer be verified. */
  body: string | Uint8Array | ArrayBufferLike
}

/** Why a webhook was refused. */
export type WebhookRefusal =
  /** There is no signature, or none in a form that the platform writes. */
  | "signature_missing"
  /** The timestamp is too far from this clock: an old delivery that is played again, or a clock that is wrong. */
  | "timestamp_outside_tolerance"
  /** No signature is of these bytes under any of the secrets. */
  | "signature_mismatch"
  /** It is signed, and no event. */
  | "invalid_body"

const WORDS: Record<WebhookRefusal, string> = {
  signature_missing: "The webhook carries no signature of the platform",
  timestamp_outside_tolerance: "The webhook's timestamp is too far from this clock",
  signature_mismatch: "No signature of the webhook is of this body under the given secrets",
  invalid_body: "The webhook's body is no event",
}

/** What is thrown for a webhook that must not be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly code: WebhookRefusal

  constructor(code: WebhookRefusal) {
    super(WORDS[code])
    this.code = code
  }
}

/** A signature as a header claims it. */
interface Claim {
  /** What was signed, in front of the body. */
  prefix: string
  /** Seconds since 1970. */
  timestamp: number
  signatures: Uint8Array[]
  /** The key that a secret stands for; null when it stands for none. */
  keyOf: (secret: string) => Uint8Array | null
}

/**
 * Verifies a webhook by either of its signatures, the platform's own (`X-Tenancy-Signature`) or that of Standard Webhooks
 * (https://www.standardwebhooks.com), in constant time.
 * @param secret the endpoint's signing secret; several while a rotation's grace runs
 * @param options.tolerance seconds that the timestamp may be away from this clock; 300 unless said otherwise
 * @returns the event; tell repeated deliveries by its `id`
 * @throws WebhookVerificationError for anything that must not be trusted; TypeError without a secret
 */
export async function verifyWebhook(
  { headers, body }: ReceivedWebhook,
  secret: string | readonly string[],
  { tolerance = TOLERANCE }: { tolerance?: number } = {},
): Promise<TenancyEvent> {
  const secrets = [secret].flat()
  if (!secrets.length || secrets.some((text) => typeof text !== "string" || text === ""))
    throw new TypeError("verifyWebhook needs the endpoint's signing secret")
  const bytes = typeof body === "string" ? encode(body) : new Uint8Array(body as ArrayBuffer)
  const read = headerReader(headers)
  const claims = [platformClaim(read), standardClaim(read)].filter((claim) => claim !== null)
  if (!claims.length) throw new WebhookVerificationError("signature_missing")
  const now = Date.now() / 1000
  const recent = claims.filter(({ timestamp }) => Math.abs(now - timestamp) <= tolerance)
  if (!recent.length) throw new WebhookVerificationError("timestamp_outside_tolerance")
  for (const claim of recent) if (await holds(claim, secrets, bytes)) return parse(bytes)
  throw new WebhookVerificationError("signature_mismatch")
}

/** `t=<seconds>,v1=<hex>`, with a `v1` for each secret that is in force; signed is `<t>.<body>` under the whole secret. */
function platformClaim(read: HeaderReader): Claim | null {
  const parts = read("x-tenancy-signature")
    .split(",")
    .map((part) => part.trim())
  const timestamp = parts.find((part) => part.startsWith("t="))?.slice(2) ?? ""
  const signatures = parts.filter((part) => /^v1=[0-9a-f]{64}$/i.test(part)).map((part) => fromHex(part.slice(3)))
  if (!isSeconds(timestamp) || !signatures.length) return null
  return { prefix: `${timestamp}.`, timestamp: Number(timestamp), signatures, keyOf: encode }
}

/** `v1,<base64>`, one for each secret with spaces between; signed is `<id>.<timestamp>.<body>` under the secret's decoded part. */
function standardClaim(read: HeaderReader): Claim | null {
  const id = read("webhook-id")
  const timestamp = read("webhook-timestamp")
  const signatures = read("webhook-signature")
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .map((part) => fromBase64(part.slice(3)))
    .filter((signature) => signature !== null)
  if (!id || !isSeconds(timestamp) || !signatures.length) return null
  const keyOf = (secret: string) => fromBase64(secret.replace(/^whsec_/, ""))
  return { prefix: `${id}.${timestamp}.`, timestamp: Number(timestamp), signatures, keyOf }
}

const isSeconds = (text: string): boolean => /^\d{1,12}$/.test(text)

/** Whether any of a claim's signatures is of these bytes. Every one is compared, whatever the others were. */
async function holds({ prefix, signatures, keyOf }: Claim, secrets: string[], body: Uint8Array): Promise<boolean> {
  const signed = concat(encode(prefix), body)
  let found = false
  for (const secret of secrets) {
    const key = keyOf(secret)
    if (!key?.length) continue
    const expected = await hmac(key, signed)
    for (const signature of signatures) found = equal(expected, signature) || found
  }
  return found
}

async function hmac(key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const imported = await crypto.subtle.importKey("raw", key as BufferSource, algorithm, false, ["sign"])
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data as BufferSource))
}

/** Compares in a time that depends on the lengths only. */
function equal(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0)
  return difference === 0
}

function parse(body: Uint8Array): TenancyEvent {
  try {
    const event = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body))
    if (typeof event?.id === "string" && typeof event.type === "string") return event
  } catch {
    // Said below.
  }
  throw new WebhookVerificationError("invalid_body")
}

/** A header's text by its name in lower case; empty when it is absent or too long to be one. */
type HeaderReader = (name: string) => string

function headerReader(headers: ReceivedWebhook["headers"]): HeaderReader {
  const found = new Map<string, string>()
  const entries = Symbol.iterator in headers ? [...(headers as Headers)] : Object.entries(headers)
  for (const [name, value] of entries) found.set(name.toLowerCase(), [value ?? ""].flat().join(","))
  return (name) => {
    const text = found.get(name) ?? ""
    return text.length > LONGEST_HEADER ? "" : text
  }
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

const fromHex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, index) => Number.parseInt(text.slice(index * 2, index * 2 + 2), 16))

/** The bytes that base64 stands for; null for what is none. */
function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
