// Creates and verifies the codes of a second factor: TOTP codes (RFC 6238, 30 s, 6 digits, SHA-1 as authenticator apps
// expect), and ten recovery codes for a lost device. The console and the admins of stores share it.
import { Secret, TOTP } from "otpauth"
import { randomBase62 } from "../../lib/hash"

const PERIOD_SECONDS = 30
const RECOVERY_CODE_COUNT = 10

const createTotp = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({
    ...names,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
  })

/** @returns a new secret in base32 */
export const createTotpSecret = (): string => new Secret({ size: 20 }).base32

/** Returns the URI of the QR code that authenticator apps read. */
export const buildTotpUri = (secret: string, names: { issuer: string; label: string }): string =>
  createTotp(secret, names).toString()

/** Returns the time step of a code, within one step of now; null for a wrong code. */
export function findTotpStep(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = createTotp(secret).validate({ token: code, timestamp: now.getTime(), window: 1 })
  return delta === null ? null : Math.floor(now.getTime() / 1000 / PERIOD_SECONDS) + delta
}

/** Creates recovery codes. Each has 51 bits. */
export const createRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODE_COUNT }, () => `${randomBase62(5)}-${randomBase62(5)}`.toLowerCase())

/** Returns a typed code as it is stored: without spaces, in lower case. */
export const normalizeCode = (typed: string): string => typed.replaceAll(/\s/g, "").toLowerCase()
