// Recognizes the 10,000 most common passwords of at least eight characters, by their hashes: the list itself would be
// three times as long. A password that is not in the list has the hash of one with a probability of 1 in 400,000.
import { memoize } from "../../lib/memo.ts"
import { COMMON_PASSWORD_HASHES } from "./common-password-hashes.ts"

/** The 32-bit FNV-1a hash of a password, ignoring case. It recognizes public words and protects nothing. */
export const hashPasswordName = (password: string): number =>
  new TextEncoder()
    .encode(password.toLowerCase())
    .reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5)

/** Decoded on first use, because most isolates see no new password. */
const hashesOf = memoize(
  (encoded: string): ReadonlySet<number> => new Set(new Uint32Array(Uint8Array.fromBase64(encoded).buffer)),
)

/** Whether a password is among the most common ones, in any case. */
export const isCommonPassword = (password: string): boolean =>
  hashesOf(COMMON_PASSWORD_HASHES).has(hashPasswordName(password))
