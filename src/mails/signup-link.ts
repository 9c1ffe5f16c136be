// Signs the mailed link of a sign-up: the reservation's id with an HMAC, which no table stores.
import { publicUrl, type Settings } from "../env"
import { equalSecrets, hmacSha256 } from "../lib/hash"

const PROOF_LENGTH = 32

type Keys = Pick<Settings, "APP_KEY">

const signReservation = async (key: Uint8Array<ArrayBuffer>, reservation: number): Promise<string> =>
  (await hmacSha256(key, `signup-reservation:${reservation}`)).toHex().slice(0, PROOF_LENGTH)

/**
 * Verifies the token of a mailed link.
 * @returns the reservation's id; null for a forged token
 */
export async function verifyToken(settings: Keys, token: string): Promise<number | null> {
  const [, id, proof] = /^([1-9]\d{0,14})\.([0-9a-f]{32})$/.exec(token) ?? []
  if (!id || !proof) return null
  // Links signed under the previous key still work.
  const { current, previous } = settings.APP_KEY
  const keys = previous ? [current, previous] : [current]
  const proofs = await Promise.all(keys.map((key) => signReservation(key, Number(id))))
  return proofs.map((expected) => equalSecrets(proof, expected)).some(Boolean) ? Number(id) : null
}

/** The mailed link, which opens the confirmation page of a reservation. */
export async function buildConfirmationUrl(settings: Settings, reservation: number): Promise<string> {
  const token = `${reservation}.${await signReservation(settings.APP_KEY.current, reservation)}`
  return publicUrl(settings, settings.CENTRAL_DOMAIN, `/signup/confirm?token=${token}`)
}
