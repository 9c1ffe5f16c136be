// Limits guesses at operators' passwords and codes. Failures count by client network and by account; successes do not
// count.

import type { Ctx } from "../../core/context"
import { addressLimits, countFailures, type Limit } from "../../core/http/rate-limit"
import { sha256 } from "../../lib/hash"
import { DAY } from "../../lib/time"

/** Failures per minute: of a client network, of an account, and in a session. */
const FAILURES_PER_MINUTE = 10

/**
 * Wrong codes per day. Three six-digit codes are valid at any moment, so a guess succeeds with probability 3 in
 * 1,000,000. A fixed window admits up to twice the limit in 24 hours: 100 guesses, or 0.03 %, for an attacker who knows
 * the password.
 */
const WRONG_CODES_PER_DAY = 50

/** The limit of the client's network, across all accounts. */
export const getNetworkLimits = ({ address }: Pick<Ctx, "address">): Limit[] =>
  addressLimits("console-ip", address ?? "unknown", FAILURES_PER_MINUTE)

/** An account's shared limit for all networks from which its operator has not signed in. */
export const getAccountLimit = async (email: string): Promise<Limit> => ({
  name: `console-account:${await sha256(email.toLowerCase())}`,
  limit: FAILURES_PER_MINUTE,
})

/**
 * The limit of wrong codes: one per network from which the operator has signed in, and one shared by all others.
 * @param knownNetwork the hash of a network from which the operator has signed in; null for any other
 */
export const getCodeLimit = (operatorId: number, knownNetwork: string | null): Limit => ({
  name: `console-code:${operatorId}${knownNetwork === null ? "" : `:${knownNetwork}`}`,
  limit: FAILURES_PER_MINUTE,
  longer: { limit: WRONG_CODES_PER_DAY, windowMs: DAY },
})

/**
 * Runs an attempt that a session thief could use for guessing, and counts its failures. The limit is per session, so
 * failed sign-ins of anonymous clients do not count against it.
 * @throws Refusal `rate_limited`; any error of `work`
 */
export const attemptInSession = <Result>(
  ctx: Ctx,
  { session }: { session: { id: number } },
  work: () => Promise<Result>,
): Promise<Result> =>
  countFailures(
    ctx,
    [...getNetworkLimits(ctx), { name: `console-session:${session.id}`, limit: FAILURES_PER_MINUTE }],
    work,
  )
