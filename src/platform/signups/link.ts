// Signs the tokens of sign-up links: an id with an HMAC, which no table stores. Each purpose has signatures of its own.
import { publicUrl, type Settings } from "../../env"
import { equalSecrets, hmacSha256 } from "../../lib/hash"

const PROOF_LENGTH = 32

/** `reservation`: the mailed link, an id of `signup_reservations`. `store`: the progress page, a `stores.seq`. */
type Purpose = "reservation" | "store"

type Keys = Pick<Settings, "APP_KEY">

const proofOf = async (key: Uint8Array<ArrayBuffer>, purpose: Purpose, id: number): Promise<string> =>
  (await hmacSha256(key, `signup-${purpose}:${id}`)).toHex().slice(0, PROOF_LENGTH)

const signId = async (settings: Keys, purpose: Purpose, id: number): Promise<string> =>
  `${id}.${await proofOf(settings.APP_KEY.current, purpose, id)}`

/**
 * Verifies a token of a sign-up link.
 * @returns the signed id; null for a forged token, or one of another purpose
 */
export async function verifyToken(settings: Keys, purpose: Purpose, token: string): Promise<number | null> {
  const [, id, proof] = /^([1-9]\d{0,14})\.([0-9a-f]{32})$/.exec(token) ?? []
  if (!id || !proof) return null
  // Links signed under the previous key still work.
  const { current, previous } = settings.APP_KEY
  const keys = previous ? [current, previous] : [current]
  const proofs = await Promise.all(keys.map((key) => proofOf(key, purpose, Number(id))))
  return proofs.map((expected) => equalSecrets(proof, expected)).some(Boolean) ? Number(id) : null
}

/** The mailed link, which opens the confirmation page of a reservation. */
export const confirmationUrl = async (settings: Settings, reservation: number): Promise<string> =>
  publicUrl(
    settings,
    settings.CENTRAL_DOMAIN,
    `/signup/confirm?token=${await signId(settings, "reservation", reservation)}`,
  )

/** The path of a store's progress page. Its token names the incarnation (`seq`), because a deleted store's id may be taken again. */
export const progressPath = async (settings: Keys, { id, seq }: { id: string; seq: number }): Promise<string> =>
  `/signup/stores/${id}?token=${await signId(settings, "store", seq)}`
