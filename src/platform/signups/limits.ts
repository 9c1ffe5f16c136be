// Rate limits of sign-ups, and of the mails that anonymous clients can trigger to any address.

import type { Ctx } from "../../core/context"
import { addressLimits, assertAllowed, type Limit, takeToken, takeTokens } from "../../core/http/rate-limit"
import type { Budget } from "../../lib/fixed-window"
import { sha256 } from "../../lib/hash"
import { HOUR } from "../../lib/time"

/** Mails of one kind per hour that one network may trigger to one email address. */
const MAX_MAILS_PER_NETWORK = 3

/** Mails of one kind per hour to one email address, from all networks together. */
const MAX_MAILS_PER_ADDRESS = 10

/**
 * Counts a sign-up against the limits per network and overall. Once the overall limit is used up, each network may
 * still sign up once an hour, so a flood of unconfirmed sign-ups blocks only its own networks.
 * @param ip the client's address
 * @returns the names of the buckets that counted it
 * @throws Refusal `rate_limited`
 */
export async function countSignUp(ctx: Ctx, ip: string): Promise<string[]> {
  const { TENANCY_SIGNUP_PER_IP_PER_HOUR: perIp, TENANCY_SIGNUP_GLOBAL_PER_HOUR: all } = ctx.settings
  const own = perIp ? addressLimits("signup", ip, perIp, HOUR) : []
  // The network's own limit is checked first: requests beyond it must not use up the overall limit.
  await takeTokens(ctx.env, ctx.log, own)
  const shared = all
    ? [{ name: "signup:all", limit: all, windowMs: HOUR }, ...addressLimits("signup-first", ip, 1, HOUR)]
    : []
  const budgets = await Promise.all(shared.map((limit) => takeToken(ctx.env, ctx.log, limit)))
  const [total = null, ...first] = budgets
  if (!first.every(isAllowed)) assertAllowed(total)
  const counted = shared.filter((_, index) => isAllowed(budgets[index] ?? null))
  return [...own, ...counted].map(({ name }) => name)
}

/** Fails open when a bucket cannot be reached. */
const isAllowed = (budget: Budget | null): boolean => budget === null || budget.allowed

/**
 * Counts a mail that an anonymous client triggers to any address. Over the limit the response is the same, but no mail
 * is sent: several networks together can suppress an address's mails for an hour, which is the price of never flooding
 * a mailbox.
 * @param ip the client's address
 * @returns whether the mail may be sent
 */
export async function takeMailToken(ctx: Ctx, kind: "signup" | "sign-in", email: string, ip: string): Promise<boolean> {
  const recipient = `${kind}-mail:${await sha256(email.toLowerCase())}`
  const isWithin = async (limits: Limit[]) =>
    (await Promise.all(limits.map((limit) => takeToken(ctx.env, ctx.log, limit)))).every(isAllowed)
  // An IPv6 /48 gets only the limit of a single /64 here: its networks together would use up the address's limit.
  const network = addressLimits(recipient, ip, MAX_MAILS_PER_NETWORK, HOUR).map((limit) => ({
    ...limit,
    limit: MAX_MAILS_PER_NETWORK,
  }))
  // Sequential: mails beyond the network's own limit must not count against the address.
  return (
    (await isWithin(network)) && (await isWithin([{ name: recipient, limit: MAX_MAILS_PER_ADDRESS, windowMs: HOUR }]))
  )
}
