// Recognizes the 10,000 most common passwords of at least eight characters, by their hashes: the list itself would be
// three times as long. A password that is not in the list has the hash of one with a probability of 1 in 400,000.
import { createHash } from "node:crypto"
import { memoize } from "../../lib/memo.ts"
import { COMMON_PASSWORD_HASHES } from "./common-password-hashes.ts"

/** The 32-bit hash of a password, ignoring case. */
export const hashPasswordName = (password: string): number =>
  createHash("sha256").update(password.toLowerCase()).digest().readUInt32LE(0)

/** Decoded on first use, because most isolates see no new password. */
const hashesOf = memoize(
  (encoded: string): ReadonlySet<number> => new Set(new Uint32Array(Uint8Array.fromBase64(encoded).buffer)),
)

/** Whether a password is among the most common ones, in any case. */
export const isCommonPassword = (password: string): boolean =>
  hashesOf(COMMON_PASSWORD_HASHES).has(hashPasswordName(password))
