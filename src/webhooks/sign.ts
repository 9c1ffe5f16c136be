// Signatures of a delivery: the platform's own, and the Standard Webhooks one beside it.
import { hmacSha256, randomBase62 } from "../lib/hash"

const PREFIX = "whsec_"

/** A new signing secret: `whsec_` and 40 characters that are also valid base64, so that Standard Webhooks libraries take it. */
export const newSecret = (): string => PREFIX + randomBase62(40)

/** A request about to be signed. */
export interface Signable {
  /** The event's id. */
  id: string
  /** Seconds since 1970. */
  timestamp: number
  /** The exact text that will be sent. */
  body: string
}

/**
 * The platform's signature, `t=<unix seconds>,v1=<hex hmac-sha256 of "<timestamp>.<body>">`, keyed with the whole secret.
 * Source: the control plane's specification, "Signature".
 * @param secrets one, or several while a rotation's grace runs: then there is a `v1` for each, in their order
 */
export async function platformSignature(secrets: string | string[], { timestamp, body }: Signable): Promise<string> {
  const signed = [secrets]
    .flat()
    .map(async (secret) => `v1=${(await hmacSha256(secret, `${timestamp}.${body}`)).toHex()}`)
  return [`t=${timestamp}`, ...(await Promise.all(signed))].join(",")
}

/**
 * The Standard Webhooks signature, `v1,<base64 hmac-sha256 of "<id>.<timestamp>.<body>">`, keyed with the base64-decoded part
 * of the secret behind its prefix. Source: https://www.standardwebhooks.com, "Signature scheme".
 * @param secrets as above; the signatures stand behind each other with a space between
 */
export async function standardSignature(
  secrets: string | string[],
  { id, timestamp, body }: Signable,
): Promise<string> {
  const signed = [secrets].flat().map(async (secret) => {
    const key = Uint8Array.fromBase64(secret.slice(PREFIX.length))
    return `v1,${(await hmacSha256(key, `${id}.${timestamp}.${body}`)).toBase64()}`
  })
  return (await Promise.all(signed)).join(" ")
}
