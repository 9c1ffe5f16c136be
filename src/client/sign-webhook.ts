// Signs webhooks as the platform does, for tests of a receiver.
import { computeHmac, concatBytes, decodeBase64, encode, encodeBase64, encodeHex } from "./bytes.ts"
import type { TenancyEvent } from "./types.ts"

/** A webhook as the platform sends it. */
export interface SignedWebhook {
  headers: Record<string, string>
  body: string
}

/**
 * Signs an event with both signature schemes, for tests of a receiver.
 * @param event an event, or its JSON
 * @param secret the signing secret: `whsec_` and base64
 * @param options.timestamp seconds since 1970; now by default
 * @returns the headers and the body of the request
 * @throws TypeError for a secret or an event of another form
 */
export async function signWebhook(
  event: TenancyEvent | string,
  secret: string,
  { timestamp = Math.floor(Date.now() / 1000) }: { timestamp?: number } = {},
): Promise<SignedWebhook> {
  const standardKey = typeof secret === "string" ? decodeBase64(secret.replace(/^whsec_/, "")) : null
  if (!standardKey?.length) throw new TypeError("signWebhook needs a signing secret: whsec_ and base64")
  const body = typeof event === "string" ? event : JSON.stringify(event)
  const { id, type } = parseEvent(body)
  const bytes = encode(body)
  const platform = await computeHmac(encode(secret), concatBytes(encode(`${timestamp}.`), bytes))
  const standard = await computeHmac(standardKey, concatBytes(encode(`${id}.${timestamp}.`), bytes))
  return {
    headers: {
      "content-type": "application/json",
      "x-tenancy-event": type,
      "x-tenancy-delivery": id,
      "x-tenancy-signature": `t=${timestamp},v1=${encodeHex(platform)}`,
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": `v1,${encodeBase64(standard)}`,
    },
    body,
  }
}

function parseEvent(body: string): { id: string; type: string } {
  try {
    const event = JSON.parse(body)
    if (typeof event?.id === "string" && typeof event.type === "string") return event
  } catch {
    // Reported below.
  }
  throw new TypeError("signWebhook needs an event with an id and a type")
}
