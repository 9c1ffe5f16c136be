// Rate limits of sign-ups, and of the mails that anybody may cause to any address.

import type { Ctx } from "../../core/context"
import { addressLimits, assertAllowed, type Limit, spend, take } from "../../core/http/rate-limit"
import type { Budget } from "../../lib/fixed-window"
import { sha256 } from "../../lib/hash"
import { HOUR } from "../../lib/time"

/** Mails of one kind that one network may cause to one e-mail address per hour. */
const MAILS_PER_NETWORK = 3

/** Mails of one kind to one e-mail address per hour, whoever causes them. */
const MAILS_PER_ADDRESS = 10

/**
 * Counts a sign-up against the limits per network and for everybody. Once everybody's limit is used up, a network may still sign
 * up once an hour, so that a flood of sign-ups that nobody confirms refuses the networks of the flood only.
 * @param ip the client's address
 * @returns the names of the buckets that counted it
 * @throws Refusal `rate_limited`
 */
export async function countSignUp(ctx: Ctx, ip: string): Promise<string[]> {
  const { TENANCY_SIGNUP_PER_IP_PER_HOUR: perIp, TENANCY_SIGNUP_GLOBAL_PER_HOUR: all } = ctx.settings
  const own = perIp ? addressLimits("signup", ip, perIp, HOUR) : []
  // First by itself: what a network sends beyond its own limit must not use up everybody's.
  await spend(ctx.env, ctx.log, own)
  const shared = all
    ? [{ name: "signup:all", limit: all, windowMs: HOUR }, ...addressLimits("signup-first", ip, 1, HOUR)]
    : []
  const budgets = await Promise.all(shared.map((limit) => take(ctx.env, ctx.log, limit)))
  const [total = null, ...first] = budgets
  if (!first.every(isAllowed)) assertAllowed(total)
  const counted = shared.filter((_, index) => isAllowed(budgets[index] ?? null))
  return [...own, ...counted].map(({ name }) => name)
}

/** A bucket that cannot be reached refuses nobody. */
const isAllowed = (budget: Budget | null): boolean => budget === null || budget.allowed

/**
 * Counts a mail that anybody may cause to any address. Beyond its limits the response stays the same and no mail is sent: several
 * networks together can suppress an address's mails for an hour, which is the price of never flooding a mailbox.
 * @param ip the client's address
 * @returns whether the mail may be sent
 */
export async function mayMail(ctx: Ctx, kind: "signup" | "sign-in", email: string, ip: string): Promise<boolean> {
  const recipient = `${kind}-mail:${await sha256(email.toLowerCase())}`
  const isWithin = async (limits: Limit[]) =>
    (await Promise.all(limits.map((limit) => take(ctx.env, ctx.log, limit)))).every(isAllowed)
  // Here an IPv6 /48 may do no more than one of its lines: together they would use up the address's limit.
  const network = addressLimits(recipient, ip, MAILS_PER_NETWORK, HOUR).map((limit) => ({
    ...limit,
    limit: MAILS_PER_NETWORK,
  }))
  // One after the other: what a network causes beyond its own limit does not count against the address.
  return (await isWithin(network)) && (await isWithin([{ name: recipient, limit: MAILS_PER_ADDRESS, windowMs: HOUR }]))
}
