// Hashes passwords at a hundredth of the cost, because almost every test creates a store or signs in. vitest.config.ts
// replaces `src/lib/password.ts` in the Worker with this module.
import { hashPassword as hash } from "../../src/lib/password"

export { verifyPassword } from "../../src/lib/password"

/** Hashes a password with a new salt. */
export const hashPassword = (password: string): Promise<string> => hash(password, { logN: 8, r: 8, p: 1 })
