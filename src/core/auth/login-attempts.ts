// Counts guesses at passwords by network and by account. Strangers share the limit of an account; a network from which the account
// has logged in before is held to its own limit alone, so that strangers' guesses do not keep the owner out.

import type { Ctx } from "../context"
import { assertAllowed, assertNotRefused, afterRateLimit, type Limit, refund, take } from "../http/rate-limit"
import { hashingLimits, type PasswordHasher, permitHashing } from "./password-hashing"

/** What a login is counted against, until it succeeds. */
interface LoginLimits {
  /** The limits of the client's network, wherever its guesses aim. */
  network: Limit[]
  /** The limit that all networks share from which the account has not logged in. */
  account: Limit
}

/**
 * Counts a login, reads the account in the same round trip, and refunds the count once the login succeeds. The password hash stays
 * counted.
 * @param find reads the account, and whether it has logged in from this network before
 * @param work verifies what was presented, and does what comes of it
 * @throws Refusal `rate_limited`, whatever the account is; then whatever `find` and `work` throw
 */
export async function attemptLogin<Found extends { isKnownNetwork: boolean }, Answer>(
  ctx: Ctx,
  { network, account }: LoginLimits,
  find: () => Promise<Found>,
  work: (found: Found, hasher: PasswordHasher) => Promise<Answer>,
): Promise<Answer> {
  assertNotRefused(ctx.env, [...network, ...hashingLimits(ctx)])
  const permit = permitHashing(ctx, 1, network)
  const found = await afterRateLimit(permit, find())
  // Only now: a network that is refused must not use up the limits of the accounts that it names.
  if (!found.isKnownNetwork) assertAllowed(await take(ctx.env, ctx.log, account))
  const answer = await work(found, await permit)
  refund(ctx, found.isKnownNetwork ? network : [...network, account])
  return answer
}
