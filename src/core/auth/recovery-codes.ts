// Creates the recovery codes of a second factor, for a lost device. The console and the admins of stores share it.
import { randomBase62 } from "../../lib/hash"

const COUNT = 10

/** Creates recovery codes. Each has 51 bits. */
export const createRecoveryCodes = (): string[] =>
  Array.from({ length: COUNT }, () => `${randomBase62(5)}-${randomBase62(5)}`.toLowerCase())

/** Returns a typed code as it is stored: without spaces, in lower case. */
export const normalizeCode = (typed: string): string => typed.replaceAll(/\s/g, "").toLowerCase()
