// Limits guesses at operators' passwords and codes. Failures count by client network and by account; successes do not count.

import type { Ctx } from "../../core/context"
import { addressLimits, countFailures, type Limit } from "../../core/http/rate-limit"
import { sha256 } from "../../lib/hash"
import { DAY } from "../../lib/time"
import type { Session } from "./sessions"

/** Failures a minute of one client network, on one account, and in one session. */
const LIMIT = 10

/**
 * Wrong codes a day. A code of six digits has three valid values at any moment, so a guess succeeds with 3 in 1,000,000. A fixed
 * window lets up to twice the limit through in 24 hours: 100 guesses, 0.03 %, for somebody who knows the password.
 */
const WRONG_CODES_PER_DAY = 50

/** The limit of the client's network, wherever its guesses aim. */
export const networkLimits = ({ address }: Pick<Ctx, "address">): Limit[] =>
  addressLimits("console-ip", address ?? "unknown", LIMIT)

/** The limit that an account has for all networks from which its operator has not signed in. */
export const accountLimit = async (email: string): Promise<Limit> => ({
  name: `console-account:${await sha256(email.toLowerCase())}`,
  limit: LIMIT,
})

/**
 * The limit of wrong codes: one for each network from which the operator has signed in, and one for all others together.
 * @param knownNetwork the hash of a network from which the operator has signed in; null for any other
 */
export const codeLimit = (operatorId: number, knownNetwork: string | null): Limit => ({
  name: `console-code:${operatorId}${knownNetwork === null ? "" : `:${knownNetwork}`}`,
  limit: LIMIT,
  longer: { limit: WRONG_CODES_PER_DAY, windowMs: DAY },
})

/**
 * Runs what a thief of a session may be guessing at. The limit is the session's own: failed sign-ins of strangers do not count
 * against it.
 * @throws Refusal `rate_limited`; whatever `work` throws
 */
export const attemptInSession = <Answer>(
  ctx: Ctx,
  { session }: Session,
  work: () => Promise<Answer>,
): Promise<Answer> =>
  countFailures(ctx, [...networkLimits(ctx), { name: `console-session:${session.id}`, limit: LIMIT }], work)
