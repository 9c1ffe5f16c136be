// Signs the URLs of update files, which WordPress downloads without the API key.
import { publicUrl, type Settings } from "../../env"
import { equalSecrets, hmacSha256 } from "../../lib/hash"
import { addMs, DAY } from "../../lib/time"

/** WordPress keeps the URL for up to 12 hours, until its next check for updates. */
const VALIDITY_MS = DAY

/** Longer tokens cannot exist. */
const MAX_TOKEN_LENGTH = 500

/** The download of a URL and its activation, which is null if the product's updates need no license. */
export interface SignedDownload {
  versionId: string
  activation: number | null
}

/** Builds the URL of a version's main file. */
export async function buildDownloadUrl(settings: Settings, now: Date, download: SignedDownload): Promise<string> {
  const expiresAt = addMs(now, VALIDITY_MS).getTime()
  const content = JSON.stringify([download.versionId, download.activation ?? 0, expiresAt])
  const subject = new TextEncoder().encode(content).toBase64({ alphabet: "base64url", omitPadding: true })
  const token = `${subject}.${await sign(settings.APP_KEY.current, subject)}`
  return publicUrl(settings, settings.CENTRAL_DOMAIN, `/api/downloads/${token}`)
}

/** Verifies the token of a URL; null for a forged or expired one. */
export async function verifyDownloadToken(
  settings: Pick<Settings, "APP_KEY">,
  now: Date,
  token: string,
): Promise<SignedDownload | null> {
  if (token.length > MAX_TOKEN_LENGTH) return null
  const [, subject, signature] = /^([\w-]+)\.([0-9a-f]{64})$/.exec(token) ?? []
  if (!subject || !signature) return null
  // URLs signed under the previous key still work.
  const { current, previous } = settings.APP_KEY
  const expected = await Promise.all((previous ? [current, previous] : [current]).map((key) => sign(key, subject)))
  if (!expected.map((one) => equalSecrets(signature, one)).some(Boolean)) return null
  const bytes = Uint8Array.fromBase64(subject, { alphabet: "base64url" })
  const [versionId, activation, expiresAt] = JSON.parse(new TextDecoder().decode(bytes)) as [string, number, number]
  return expiresAt < now.getTime() ? null : { versionId, activation: activation || null }
}

const sign = async (key: Uint8Array<ArrayBuffer>, subject: string): Promise<string> =>
  (await hmacSha256(key, `update-download:${subject}`)).toHex()
