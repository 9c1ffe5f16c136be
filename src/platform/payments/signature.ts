// Whether a message is the payment provider's (https://docs.stripe.com/webhooks#verify-manually): an HMAC-SHA256 over
// `<timestamp>.<raw body>`, by one of the header's `v1`.
import { equalSecrets, hmacSha256 } from "../../lib/hash"

/** Seconds that a message's timestamp may be away from now, so that an old one cannot be replayed. */
const TOLERANCE = 300

/** Signatures of one header that are looked at; a rotation has two. */
const SIGNATURES = 10

/**
 * @param header `Stripe-Signature`, such as `t=1700000000,v1=5257…`
 * @param secret the endpoint's signing secret
 */
export async function isSigned(header: string | undefined, body: string, secret: string, now: Date): Promise<boolean> {
  if (!header || header.length > 4096) return false
  const parts = header.split(",").map((part) => part.trim().split("=", 2) as [string, string?])
  const timestamp = parts.find(([name]) => name === "t")?.[1]
  const given = parts.flatMap(([name, value]) => (name === "v1" && value ? [value] : [])).slice(0, SIGNATURES)
  if (!timestamp || !/^\d{1,12}$/.test(timestamp) || !given.length) return false
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE) return false
  const expected = (await hmacSha256(secret, `${timestamp}.${body}`)).toHex()
  return given.map((signature) => equalSecrets(signature, expected)).some(Boolean)
}
