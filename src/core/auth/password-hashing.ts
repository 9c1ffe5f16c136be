// The only way to the password hash. A hash costs 150 ms of CPU, so each one that a request causes is first spent from a limit of the
// client's network over all sites, whether the password turns out right or wrong.
import { hashPassword, verifyPassword } from "../../lib/password"
import type { Ctx } from "../context"
import { addressLimits, assertNotRefused, type Limit, spend } from "../http/rate-limit"

/** Password hashes a minute of one client network, over all sites and the console. */
const HASHES_PER_MINUTE = 100

/** The stored form of a password that nobody has: an unknown account costs the same time as a wrong password. */
const UNMATCHABLE_HASH = `scrypt$14$8$5$${btoa("no such account!")}$${btoa("and no password matches this one")}`

/** Hashes that have been spent for, to be computed. */
export interface PasswordHasher {
  /** The stored form of a password, with a new salt. */
  hash(password: string): Promise<string>
  /** Whether a password is the one behind a stored form; false, after the same time, without a stored form. */
  verify(password: string, stored: string | undefined): Promise<boolean>
}

type Requester = Pick<Ctx, "env" | "log" | "address">

/** The limits of password hashing for the client's network. */
export const hashingLimits = ({ address }: Pick<Ctx, "address">): Limit[] =>
  addressLimits("password-hash", address ?? "unknown", HASHES_PER_MINUTE)

/**
 * Spends for password hashes.
 * @param hashes how many the request may compute
 * @param others limits that are spent from in the same round trip
 * @returns a hasher for that many
 * @throws Refusal `rate_limited` when one of the limits is used up
 */
export async function permitHashing(ctx: Requester, hashes = 1, others: Limit[] = []): Promise<PasswordHasher> {
  const limits = [...others, ...Array.from({ length: hashes }, () => hashingLimits(ctx)).flat()]
  assertNotRefused(ctx.env, limits)
  await spend(ctx.env, ctx.log, limits)
  let left = hashes
  const use = () => {
    if (left === 0) throw new Error("More password hashes than were spent for")
    left -= 1
  }
  return {
    async hash(password) {
      use()
      return hashPassword(password)
    },
    async verify(password, stored = UNMATCHABLE_HASH) {
      use()
      return verifyPassword(password, stored)
    },
  }
}

/**
 * Hashes for a caller whose credential is a limit already: an API key, the operator token, or an admin of the console.
 * @returns the stored form of a password
 */
export const hashForAdmin = (password: string): Promise<string> => hashPassword(password)
