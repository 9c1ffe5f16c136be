// Hashes passwords with scrypt (RFC 7914) and OWASP's parameters, as `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`.

import { scrypt, timingSafeEqual } from "node:crypto"
import { randomBytes } from "./random"

/** The cost of a new hash. */
interface Cost {
  logN: number
  r: number
  p: number
}

const OWASP_COST: Cost = { logN: 14, r: 8, p: 5 }
const KEY_BYTES = 32

const derive = (password: string, salt: Uint8Array, { logN, r, p }: Cost): Promise<Uint8Array> =>
  new Promise((resolve, reject) =>
    scrypt(password, salt, KEY_BYTES, { N: 2 ** logN, r, p, maxmem: 64 << 20 }, (error, key) =>
      error ? reject(error) : resolve(new Uint8Array(key)),
    ),
  )

/**
 * Hashes a password with a new salt. Costs about 150 ms of CPU by design.
 * @param cost only tests choose another
 */
export async function hashPassword(password: string, cost = OWASP_COST): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost)
  return ["scrypt", cost.logN, cost.r, cost.p, salt.toBase64(), hash.toBase64()].join("$")
}

/**
 * Returns a hash that no password matches, so that an unknown account takes as long as a wrong password.
 * @param cost only tests choose another
 */
export const unmatchableHash = ({ logN, r, p } = OWASP_COST): string =>
  ["scrypt", logN, r, p, btoa("no such account!"), btoa("and no password matches this one")].join("$")

/** Whether a password matches a stored hash; false for a hash in another format. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, logN, r, p, salt, hash] = stored.split("$")
  if (scheme !== "scrypt" || !salt || !hash) return false
  const expected = Uint8Array.fromBase64(hash)
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  const derived = await derive(password, Uint8Array.fromBase64(salt), cost)
  return derived.length === expected.length && timingSafeEqual(derived, expected)
}
