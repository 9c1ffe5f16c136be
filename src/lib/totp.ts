// One-time codes of authenticator apps (RFC 6238): 30 seconds, six digits, and SHA-1, which is what all apps support.
import { equalSecrets } from "./hash"
import { randomBytes } from "./random"

const PERIOD_MS = 30_000
const DIGITS = 6
const SECRET_BYTES = 20
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Generates a secret, in base32 (RFC 4648) without padding. */
export function generateTotpSecret(): string {
  const bits = Array.from(randomBytes(SECRET_BYTES), (byte) => byte.toString(2).padStart(8, "0")).join("")
  return bits.replace(/.{5}/g, (group) => BASE32[Number.parseInt(group, 2)] ?? "")
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bits = Array.from(secret, (character) => BASE32.indexOf(character).toString(2).padStart(5, "0")).join("")
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (group) => Number.parseInt(group, 2))
}

/** The number of a period since 1970. */
export const getTotpStep = (at: Date): number => Math.floor(at.getTime() / PERIOD_MS)

/** Computes the code of a period: a part of an HMAC of its number (RFC 4226, 5.3). */
export async function computeTotpCode(secret: string, step: number): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-1" }
  const key = await crypto.subtle.importKey("raw", decodeSecret(secret), algorithm, false, ["sign"])
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(step))
  const digest = new DataView(await crypto.subtle.sign(algorithm, key, counter))
  const offset = digest.getUint8(digest.byteLength - 1) & 0xf
  const number = digest.getUint32(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0")
}

/** Returns the period of a code, within one period of a time; null for a wrong code. */
export async function findTotpStep(secret: string, code: string, at: Date): Promise<number | null> {
  const current = getTotpStep(at)
  const steps = [current - 1, current, current + 1]
  const codes = await Promise.all(steps.map((step) => computeTotpCode(secret, step)))
  return steps.find((_, index) => equalSecrets(codes[index] ?? "", code)) ?? null
}

/** The URI of a secret, which apps read from a QR code. */
export function formatTotpUri({
  issuer,
  account,
  secret,
}: {
  issuer: string
  account: string
  secret: string
}): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const query = `issuer=${encodeURIComponent(issuer)}&secret=${secret}&algorithm=SHA1&digits=${DIGITS}&period=${PERIOD_MS / 1000}`
  return `otpauth://totp/${label}?${query}`
}
