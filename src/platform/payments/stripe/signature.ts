// Verifies Stripe's webhook signatures (https://docs.stripe.com/webhooks#verify-manually): one `v1` of the header has
// to be the HMAC-SHA256 of `<timestamp>.<raw body>`.
import { equalSecrets, hmacSha256 } from "../../../lib/hash"

/** Maximum difference between a message's timestamp and now, in seconds; prevents replay attacks. */
const TOLERANCE_SECONDS = 300

/** Signatures that are checked per header; during a secret rotation there are two. */
const MAX_SIGNATURES = 10

/**
 * Returns whether the signature header is valid for the body.
 * @param header `Stripe-Signature`, such as `t=1700000000,v1=5257…`
 * @param secret the endpoint's signing secret
 */
export async function hasValidSignature(
  header: string | null,
  body: string,
  secret: string,
  now: Date,
): Promise<boolean> {
  if (!header || header.length > 4096) return false
  const parts = header.split(",").map((part) => part.trim().split("=", 2) as [string, string?])
  const timestamp = parts.find(([name]) => name === "t")?.[1]
  const signatures = parts.flatMap(([name, value]) => (name === "v1" && value ? [value] : [])).slice(0, MAX_SIGNATURES)
  if (!timestamp || !/^\d{1,12}$/.test(timestamp) || !signatures.length) return false
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const expected = (await hmacSha256(secret, `${timestamp}.${body}`)).toHex()
  return signatures.map((signature) => equalSecrets(signature, expected)).some(Boolean)
}
