// Signs mailed links: a subject with an HMAC, which no table stores.
import { publicUrl, type Settings } from "../env"
import { equalSecrets, hmacSha256 } from "../lib/hash"

const PROOF_LENGTH = 32

type Keys = Pick<Settings, "APP_KEY">

/** The purpose of a link. A token is valid for no other purpose. */
type LinkPurpose = "signup-reservation" | "operator-invitation" | "store-export"

const sign = async (key: Uint8Array<ArrayBuffer>, purpose: LinkPurpose, subject: string): Promise<string> =>
  (await hmacSha256(key, `${purpose}:${subject}`)).toHex().slice(0, PROOF_LENGTH)

/**
 * Verifies the token of a mailed link.
 * @returns its subject: the numbers that were signed; null for a forged token
 */
export async function verifyLink(settings: Keys, purpose: LinkPurpose, token: string): Promise<number[] | null> {
  const [, subject, proof] = /^([1-9]\d{0,14}(?:-[1-9]\d{0,14})?)\.([0-9a-f]{32})$/.exec(token) ?? []
  if (!subject || !proof) return null
  // Links signed under the previous key still work.
  const { current, previous } = settings.APP_KEY
  const keys = previous ? [current, previous] : [current]
  const proofs = await Promise.all(keys.map((key) => sign(key, purpose, subject)))
  return proofs.map((expected) => equalSecrets(proof, expected)).some(Boolean) ? subject.split("-").map(Number) : null
}

const buildUrl = async (
  settings: Settings,
  path: string,
  purpose: LinkPurpose,
  subject: string,
  host = settings.CENTRAL_DOMAIN,
): Promise<string> =>
  publicUrl(settings, host, `${path}?token=${subject}.${await sign(settings.APP_KEY.current, purpose, subject)}`)

/** The mailed link that opens the confirmation page of a reservation. */
export const buildConfirmationUrl = (settings: Settings, reservation: number): Promise<string> =>
  buildUrl(settings, "/signup/confirm", "signup-reservation", `${reservation}`)

/**
 * The mailed link that opens an operator's invitation.
 * @param expiresAt in milliseconds since 1970; sending the invitation again changes it, so older links end
 */
export const buildInvitationUrl = (settings: Settings, invitation: number, expiresAt: number): Promise<string> =>
  buildUrl(settings, "/console/invitation", "operator-invitation", `${invitation}-${expiresAt}`)

/**
 * The mailed link that downloads an archive.
 * @param host of the store
 * @param expiresAt in milliseconds since 1970
 */
export const buildExportUrl = (settings: Settings, host: string, id: number, expiresAt: number): Promise<string> =>
  buildUrl(settings, "/admin/export/download", "store-export", `${id}-${expiresAt}`, host)
