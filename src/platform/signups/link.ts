// The link that a reservation is mailed: it proves that its reader has the mail, and is nowhere stored.

import { publicUrl, type Settings } from "../../env"
import { equalSecrets, hmacSha256 } from "../../lib/hash"

const LENGTH = 32

const proofOf = async (key: Uint8Array<ArrayBuffer>, id: number): Promise<string> =>
  (await hmacSha256(key, `signup:${id}`)).toHex().slice(0, LENGTH)

/** The token of a reservation, `<id>.<32 characters>`. */
const linkToken = async (settings: Pick<Settings, "APP_KEY">, id: number): Promise<string> =>
  `${id}.${await proofOf(settings.APP_KEY.current, id)}`

/** The reservation that a token is about; null for one that was made up. */
export async function reservationOf(settings: Pick<Settings, "APP_KEY">, token: string): Promise<number | null> {
  const [, id, proof] = /^([1-9]\d{0,14})\.([0-9a-f]{32})$/.exec(token) ?? []
  if (!id || !proof) return null
  // A link that was mailed under the key before this one is still good.
  const { current, previous } = settings.APP_KEY
  const proofs = await Promise.all([current, ...(previous ? [previous] : [])].map((key) => proofOf(key, Number(id))))
  return proofs.map((expected) => equalSecrets(proof, expected)).some(Boolean) ? Number(id) : null
}

/** The link that makes a reservation a store. */
export const confirmationUrl = async (settings: Settings, id: number): Promise<string> =>
  publicUrl(settings, settings.CENTRAL_DOMAIN, `/signup/confirm?token=${await linkToken(settings, id)}`)
