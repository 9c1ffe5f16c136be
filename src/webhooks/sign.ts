// Signs outbound webhook deliveries (Standard Webhooks and Tenancy's own scheme).
import { hmacSha256, randomBase62 } from "../lib/hash"

const PREFIX = "whsec_"

/**
 * Generates a signing secret: `whsec_` and 40 characters that are valid base64, as Standard Webhooks libraries require.
 */
export const generateSecret = (): string => PREFIX + randomBase62(40)

/** A request about to be signed. */
export interface Signable {
  /** The event's id. */
  id: string
  /** Seconds since 1970. */
  timestamp: number
  /** The exact request body. */
  body: string
}

/**
 * Builds the platform's signature, `t=<unix seconds>,v1=<hex hmac-sha256 of "<timestamp>.<body>">`, keyed with the
 * whole secret. docs/guides/verifying-webhooks.md describes the receiver's side.
 * @param secrets one, or several during the grace of a rotation; the signature has a `v1` for each, in the same order
 */
export async function buildPlatformSignature(
  secrets: string | string[],
  { timestamp, body }: Signable,
): Promise<string> {
  const parts = [secrets]
    .flat()
    .map(async (secret) => `v1=${(await hmacSha256(secret, `${timestamp}.${body}`)).toHex()}`)
  return [`t=${timestamp}`, ...(await Promise.all(parts))].join(",")
}

/**
 * Builds the Standard Webhooks signature, `v1,<base64 hmac-sha256 of "<id>.<timestamp>.<body>">`, keyed with the
 * base64-decoded part of the secret after its prefix. Source: https://www.standardwebhooks.com, "Signature scheme".
 * @param secrets as above; several signatures are separated by spaces
 */
export async function buildStandardSignature(
  secrets: string | string[],
  { id, timestamp, body }: Signable,
): Promise<string> {
  const parts = [secrets].flat().map(async (secret) => {
    const key = Uint8Array.fromBase64(secret.slice(PREFIX.length))
    return `v1,${(await hmacSha256(key, `${id}.${timestamp}.${body}`)).toBase64()}`
  })
  return (await Promise.all(parts)).join(" ")
}
