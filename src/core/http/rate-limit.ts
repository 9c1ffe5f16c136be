// Enforces rate limits. Every bucket is a Durable Object. An isolate caches refusals for a few seconds, so a flood
// causes few requests to the object.

import type { RateLimitBucket } from "../../../durable/rate-limit-bucket"
import { binding } from "../../bindings"
import { type Bindings, settingsOf } from "../../env"
import { currentMs } from "../../lib/clock"
import { callDurable, durableLocation, type Remote } from "../../lib/durable"
import { type Budget, WINDOW_MS } from "../../lib/fixed-window"
import { clientNetwork } from "../../lib/ip"
import { isolateState } from "../../lib/isolate-state"
import { countTransientError } from "../../lib/transient-errors"
import type { Ctx } from "../context"
import type { Log } from "../log"
import { Refusal } from "./refusal"

/** A rate limit of one bucket. */
export interface Limit {
  /** The bucket: `<kind>:<caller>`. */
  name: string
  /** Requests per window. */
  limit: number
  /** Window length in milliseconds; a minute by default. */
  windowMs?: number
  /** A second, longer window in the same bucket. A request refused by one window does not count in the other. */
  longer?: { limit: number; windowMs: number }
}

/** Cached refusals per isolate. */
const MAX_CACHED_REFUSALS = 10_000

/**
 * Time for which an isolate caches a refusal. It is short, because other isolates may refund the hits that filled the
 * bucket.
 */
const REFUSAL_CACHE_TTL_MS = 5_000

/** Refusals by bucket name; `until` in milliseconds since 1970. */
const refusals = isolateState(() => new WeakMap<Bindings, Map<string, { budget: Budget; until: number }>>())

/**
 * Counts a request against one limit.
 * @returns the remaining budget, with `allowed` false when it was exhausted; null when the bucket is unreachable,
 *   because a failing limiter must not cause an outage (fail open). An overloaded bucket refuses: overload is the flood
 *   it protects against.
 */
export async function takeToken(env: Bindings, log: Log, bucket: Limit): Promise<Budget | null> {
  const { name, limit, windowMs = WINDOW_MS, longer = null } = bucket
  const known = cachedRefusal(env, name, limit)
  if (known) return known
  try {
    const budget = await callBucket(env, name, (bucket) => bucket.take(limit, windowMs, longer))
    if (!budget.allowed) cacheRefusal(env, name, budget)
    return budget
  } catch (cause) {
    return budgetAfterFault(log, limit, cause)
  }
}

/** Returns the budget of a bucket that could not be reached: null, or a refusal when it is overloaded. */
function budgetAfterFault(log: Log, limit: number, cause: unknown): Budget | null {
  countTransientError("durable_object")
  log.error("a rate-limit bucket could not be reached", cause)
  return isOverloaded(cause) ? { allowed: false, limit, remaining: 0, resetAt: currentMs() + WINDOW_MS } : null
}

const callBucket = <R>(env: Bindings, name: string, call: (bucket: Remote<RateLimitBucket>) => Promise<R>) =>
  callDurable<RateLimitBucket, R>(binding(env, "RATE_LIMIT"), name, call, durableLocation(settingsOf(env)))

function cachedRefusal(env: Bindings, name: string, limit: number): Budget | undefined {
  const known = refusals.current.get(env)?.get(name)
  // If the limit was raised in the meantime, check again.
  return known && known.budget.limit >= limit && currentMs() < known.until ? known.budget : undefined
}

function cacheRefusal(env: Bindings, name: string, budget: Budget): void {
  const known = refusals.current.get(env) ?? new Map()
  if (known.size >= MAX_CACHED_REFUSALS) known.clear()
  known.set(name, { budget, until: Math.min(budget.resetAt, currentMs() + REFUSAL_CACHE_TTL_MS) })
  refusals.current.set(env, known)
}

/**
 * Whether a Durable Object's request queue is full. The runtime sets a property; itty-durable passes on the message
 * only.
 */
function isOverloaded(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ((error as { overloaded?: boolean }).overloaded || /\boverloaded\b/.test(error.message)) return true
  }
  return false
}

/**
 * Refuses a request whose refusal is cached in this isolate, without any I/O.
 * @throws Refusal `rate_limited`
 */
export function assertNotRefused(env: Bindings, limits: Limit[]): void {
  for (const { name, limit } of limits) {
    const known = cachedRefusal(env, name, limit)
    if (known) throw rateLimited(known)
  }
}

/**
 * Counts a request against several limits in one call. A refused request counts against none of them, so a flooding
 * network exhausts its own budget only, not that of the account or of the wider network.
 * @returns the tightest budget; null when no bucket was reachable
 * @throws Refusal `rate_limited` with the headers of the tightest budget, when one is exhausted
 */
export async function takeTokens(env: Bindings, log: Log, limits: Limit[]): Promise<Budget | null> {
  const budgets = await Promise.all(limits.map((limit) => takeToken(env, log, limit)))
  const budget = tightestBudget(budgets)
  if (budget && !budget.allowed) {
    const first = budgets.findIndex((one) => one?.allowed === false)
    await Promise.all(
      limits.map(async ({ name }, index) => {
        if (budgets[index]?.allowed) await refundHit(env, log, name)
        // A burst may have filled this bucket before its hits were refunded.
        else if (index !== first) refusals.current.get(env)?.delete(name)
      }),
    )
    throw rateLimited(budget)
  }
  return budget
}

/**
 * Returns the budget that refuses for the longest time, else the one with the least remaining; null when there is none.
 */
export function tightestBudget(budgets: (Budget | null)[]): Budget | null {
  const known = budgets.filter((budget) => budget !== null)
  const [first = null] = known.sort(
    (a, b) => Number(a.allowed) - Number(b.allowed) || (a.allowed ? a.remaining - b.remaining : b.resetAt - a.resetAt),
  )
  return first
}

/**
 * Returns the budget that `takeToken` would return, without counting. An overloaded bucket refuses here, too: otherwise
 * a flood of wrong credentials would switch off the limit of failures that it exceeds. That affects only the callers
 * who share the bucket, and they share its limit anyway.
 * @returns null when the bucket is unreachable
 */
export async function peekBudget(env: Bindings, log: Log, bucket: Limit): Promise<Budget | null> {
  const { name, limit, windowMs = WINDOW_MS, longer = null } = bucket
  try {
    return (
      cachedRefusal(env, name, limit) ?? (await callBucket(env, name, (bucket) => bucket.peek(limit, windowMs, longer)))
    )
  } catch (cause) {
    return budgetAfterFault(log, limit, cause)
  }
}

/**
 * Checks limits without counting, for example limits that only failures count against.
 * @throws Refusal `rate_limited` when one is exhausted
 */
export async function assertBudgetLeft(env: Bindings, log: Log, limits: Limit[]): Promise<void> {
  const budgets = await Promise.all(limits.map((limit) => peekBudget(env, log, limit)))
  const used = budgets.find((budget) => budget !== null && !budget.allowed)
  if (used) throw rateLimited(used)
}

/** @throws Refusal `rate_limited` for an exhausted budget */
export function assertAllowed(budget: Budget | null): void {
  if (budget && !budget.allowed) throw rateLimited(budget)
}

/** Creates the refusal of an exhausted budget. */
function rateLimited(budget: Budget): Refusal {
  const seconds = Math.max(1, Math.ceil((budget.resetAt - currentMs()) / 1000))
  return new Refusal("rate_limited", { seconds, headers: rateLimitHeaders(budget, true) })
}

/**
 * Returns the `X-RateLimit-*` headers of a budget.
 * @param withReset whether to include the end of the window
 */
export const rateLimitHeaders = (budget: Budget | null, withReset = false): Record<string, string> =>
  budget
    ? {
        "X-RateLimit-Limit": String(budget.limit),
        "X-RateLimit-Remaining": String(budget.remaining),
        ...(withReset && { "X-RateLimit-Reset": String(Math.ceil(budget.resetAt / 1000)) }),
      }
    : {}

/** An IPv6 /48 may do this many times what a /64 may. */
const IPV6_48_FACTOR = 4

/**
 * Returns the limits of a client's network: its IPv4 address or IPv6 /64, and for IPv6 also the /48.
 * @param kind the counted kind of request, used as the bucket's prefix
 * @param longer a second, longer window of each limit
 */
export function addressLimits(
  kind: string,
  ip: string,
  limit: number,
  windowMs?: number,
  longer?: Limit["longer"],
): Limit[] {
  const { network, wider } = clientNetwork(ip)
  const own = { name: `${kind}:${network}`, limit, windowMs, longer }
  if (wider === null) return [own]
  const widerLonger = longer && { ...longer, limit: longer.limit * IPV6_48_FACTOR }
  return [own, { name: `${kind}:${wider}`, limit: limit * IPV6_48_FACTOR, windowMs, longer: widerLonger }]
}

/**
 * Runs work and counts it unless it succeeds. It is counted before it runs, so parallel guesses get no more attempts
 * than sequential ones.
 * @param limits the limits that failures count against
 * @throws Refusal `rate_limited` when a limit is exceeded; errors of `work`
 */
export async function countFailures<Result>(
  ctx: Pick<Ctx, "env" | "log" | "inBackground">,
  limits: Limit[],
  work: () => Promise<Result>,
): Promise<Result> {
  await takeTokens(ctx.env, ctx.log, limits)
  const result = await work()
  refund(ctx, limits)
  return result
}

/** Refunds, in the background, what `takeToken` or `takeTokens` counted against limits that were not exhausted. */
export function refund(
  { env, log, inBackground }: Pick<Ctx, "env" | "log" | "inBackground">,
  limits: Pick<Limit, "name">[],
): void {
  inBackground(Promise.all(limits.map(({ name }) => refundHit(env, log, name))))
}

/** Takes a hit back that `take` counted, of a budget that is not used up. */
export async function refundHit(env: Bindings, log: Log, name: string): Promise<void> {
  refusals.current.get(env)?.delete(name)
  try {
    await callBucket(env, name, (bucket) => bucket.refund())
  } catch (cause) {
    countTransientError("durable_object")
    log.error("a rate-limit bucket could not be reached", cause)
  }
}

/**
 * Awaits a read that runs in parallel with a rate-limit check, and returns it only after the check has passed.
 * @throws errors of the check, then errors of the read
 */
export async function afterRateLimit<Read>(counted: Promise<unknown>, read: PromiseLike<Read>): Promise<Read> {
  const reading = Promise.resolve(read)
  reading.catch(() => undefined)
  await counted
  return reading
}
