// Limits failed logins per network and per account. Networks from which an account has never logged in share the
// account's limit. A known network has its own limit only, so attackers cannot lock the owner out.
import type { Ctx } from "../context"
import { afterRateLimit, assertAllowed, assertNotRefused, type Limit, refund, takeToken } from "../http/rate-limit"
import { hashingLimits, type PasswordHasher, permitHashing } from "./password-hashing"

/** The limits that a login counts against until it succeeds. */
interface LoginLimits {
  /** The limits of the client's network, over all accounts. */
  network: Limit[]
  /** The limit shared by all networks from which the account has not logged in. */
  account: Limit
}

/**
 * Counts a login, reads the account in the same round trip, and refunds the count when the login succeeds. The password
 * hash stays counted.
 * @param find reads the account, and whether it has logged in from this network before
 * @param work verifies the credentials and completes the login
 * @throws Refusal `rate_limited`, for unknown accounts too; then what `find` and `work` throw
 */
export async function attemptLogin<Found extends { isKnownNetwork: boolean }, Result>(
  ctx: Ctx,
  { network, account }: LoginLimits,
  find: () => Promise<Found>,
  work: (found: Found, hasher: PasswordHasher) => Promise<Result>,
): Promise<Result> {
  assertNotRefused(ctx.env, [...network, ...hashingLimits(ctx)])
  const permit = permitHashing(ctx, 1, network)
  const found = await afterRateLimit(permit, find())
  // Counted last, so that a rate-limited network cannot exhaust the limits of the accounts it names.
  if (!found.isKnownNetwork) assertAllowed(await takeToken(ctx.env, ctx.log, account))
  const result = await work(found, await permit)
  refund(ctx, found.isKnownNetwork ? network : [...network, account])
  return result
}
