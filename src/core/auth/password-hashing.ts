// Guards password hashing. A hash costs 150 ms of CPU, so every hash counts against a limit of the client's network
// over all sites, whether the password is right or wrong.
import { hashPassword, unmatchableHash, verifyPassword } from "../../lib/password"
import type { Ctx } from "../context"
import { addressLimits, assertNotRefused, type Limit, takeTokens } from "../http/rate-limit"

/** Password hashes per minute and client network, over all sites and the console. */
const HASHES_PER_MINUTE = 100

/** Computes the hashes that were counted. */
export interface PasswordHasher {
  /** Hashes a password with a new salt. */
  hash(password: string): Promise<string>
  /** Whether a password matches a stored hash; false, after the same time, when there is none. */
  verify(password: string, stored: string | undefined): Promise<boolean>
}

type Requester = Pick<Ctx, "env" | "log" | "address">

/** The limits of password hashing for the client's network. */
export const hashingLimits = ({ address }: Pick<Ctx, "address">): Limit[] =>
  addressLimits("password-hash", address ?? "unknown", HASHES_PER_MINUTE)

/**
 * Counts password hashes against the limit.
 * @param hashes the number of hashes that the request may compute
 * @param others further limits to count against in the same round trip
 * @returns a hasher for that number of hashes
 * @throws Refusal `rate_limited` when a limit is exceeded
 */
export async function permitHashing(ctx: Requester, hashes = 1, others: Limit[] = []): Promise<PasswordHasher> {
  const limits = [...others, ...Array.from({ length: hashes }, () => hashingLimits(ctx)).flat()]
  assertNotRefused(ctx.env, limits)
  await takeTokens(ctx.env, ctx.log, limits)
  let left = hashes
  const use = () => {
    if (left === 0) throw new Error("More password hashes than were counted")
    left -= 1
  }
  return {
    async hash(password) {
      use()
      return hashPassword(password)
    },
    async verify(password, stored = unmatchableHash()) {
      use()
      return verifyPassword(password, stored)
    },
  }
}

/**
 * Hashes a password without a rate limit, for callers that are rate limited (API keys) or trusted (the operator
 * token and console admins).
 * @returns the stored hash
 */
export const hashForAdmin = (password: string): Promise<string> => hashPassword(password)
