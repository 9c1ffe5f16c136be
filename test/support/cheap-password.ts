// Hashes passwords at a thousandth of the cost, because almost every test creates a store or signs in. vitest.config.ts
// replaces `src/lib/password.ts` in the Worker with this module.
import { unmatchableHash as getUnmatchableHash, hashPassword as hash } from "../../src/lib/password"

export { verifyPassword } from "../../src/lib/password"

const COST = { logN: 4, r: 8, p: 1 }

/** Hashes a password with a new salt. */
export const hashPassword = (password: string): Promise<string> => hash(password, COST)

/** Returns a hash that no password matches. */
export const unmatchableHash = (): string => getUnmatchableHash(COST)
