// Rate limits. Each bucket is a Durable Object. An isolate remembers a refusal for a few seconds, so that a caller who floods causes
// few requests to the object.
import type { RateLimitBucket } from "../../../durable/rate-limit-bucket"
import type { Env } from "../../env"
import { callDurable } from "../../lib/durable"
import { type Budget, WINDOW_MS } from "../../lib/fixed-window"
import { clientNetwork } from "../../lib/ip"
import type { Ctx } from "../context"
import type { Log } from "../log"
import { Refusal } from "./refusal"

/** A budget to be spent from. */
export interface Limit {
  /** The bucket: what kind of caller, a colon, and which. */
  name: string
  /** Requests a window. */
  limit: number
  /** Milliseconds of a window; a minute unless said. */
  windowMs?: number
  /** A longer window that is held beside it: what one of them refuses uses up nothing of the other. */
  longer?: { limit: number; windowMs: number }
}

/** Refused buckets an isolate remembers at most. */
const REMEMBERED = 10_000

/** Milliseconds for which an isolate remembers a refusal. Not longer: the hits that filled the bucket may be refunded elsewhere. */
const REMEMBER_MS = 5_000

/** By bucket name. `until`: milliseconds since 1970. */
const refused = new WeakMap<Env, Map<string, { budget: Budget; until: number }>>()

/**
 * Counts a request.
 * @returns the budget after it, not allowed when it was used up before; null when the bucket cannot be reached, because a limiter must
 *   not be an outage. One that says it is overloaded refuses: that is the flood it is there for.
 */
export async function take(env: Env, log: Log, given: Limit): Promise<Budget | null> {
  const { name, limit, windowMs = WINDOW_MS, longer = null } = given
  const known = recall(env, name, limit)
  if (known) return known
  try {
    const budget = await callDurable<RateLimitBucket, Budget>(env.RATE_LIMIT, name, (bucket) =>
      bucket.take(limit, windowMs, longer),
    )
    if (!budget.allowed) remember(env, name, budget)
    return budget
  } catch (cause) {
    log.error("a rate-limit bucket could not be reached", cause)
    return isOverloaded(cause) ? { allowed: false, limit, remaining: 0, resetAt: Date.now() + WINDOW_MS } : null
  }
}

function recall(env: Env, name: string, limit: number): Budget | undefined {
  const known = refused.get(env)?.get(name)
  // A limit that was raised meanwhile is checked again.
  return known && known.budget.limit >= limit && Date.now() < known.until ? known.budget : undefined
}

function remember(env: Env, name: string, budget: Budget): void {
  const known = refused.get(env) ?? new Map()
  if (known.size >= REMEMBERED) known.clear()
  known.set(name, { budget, until: Math.min(budget.resetAt, Date.now() + REMEMBER_MS) })
  refused.set(env, known)
}

/** The runtime marks the fault of an object whose queue is full; itty-durable hands on its words only. */
function isOverloaded(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ((error as { overloaded?: boolean }).overloaded || /\boverloaded\b/.test(error.message)) return true
  }
  return false
}

/**
 * Refuses what this isolate knows to be refused: it costs nothing to say so again.
 * @throws Refusal `rate_limited`
 */
export function assertNotRefused(env: Env, limits: Limit[]): void {
  for (const { name, limit } of limits) {
    const known = recall(env, name, limit)
    if (known) throw exceeded(known)
  }
}

/**
 * Counts a request against several budgets at once. A refused request counts against none of them: a network that floods uses up its own
 * budget, and not that of the account or of the wider network around it.
 * @returns the tightest of them; null when none could be reached
 * @throws Refusal `rate_limited` with the headers that tell the tightest, when one of them is used up
 */
export async function spend(env: Env, log: Log, limits: Limit[]): Promise<Budget | null> {
  const budgets = await Promise.all(limits.map((limit) => take(env, log, limit)))
  const budget = tightest(budgets)
  if (budget && !budget.allowed) {
    const first = budgets.findIndex((one) => one?.allowed === false)
    await Promise.all(
      limits.map(async ({ name }, index) => {
        if (budgets[index]?.allowed) await refundAll(env, log, name)
        // A burst may have filled it until its hits were given back.
        else if (index !== first) refused.get(env)?.delete(name)
      }),
    )
    throw exceeded(budget)
  }
  return budget
}

/** The budget that refuses for the longest time, else the one with the least left; null when there is none. */
export function tightest(budgets: (Budget | null)[]): Budget | null {
  const known = budgets.filter((budget) => budget !== null)
  const [first = null] = known.sort(
    (a, b) => Number(a.allowed) - Number(b.allowed) || (a.allowed ? a.remaining - b.remaining : b.resetAt - a.resetAt),
  )
  return first
}

/**
 * What `take` would answer, without counting anything.
 * @returns null when the bucket cannot be reached
 */
export async function peek(env: Env, log: Log, given: Limit): Promise<Budget | null> {
  const { name, limit, windowMs = WINDOW_MS, longer = null } = given
  try {
    return (
      recall(env, name, limit) ??
      (await callDurable<RateLimitBucket, Budget>(env.RATE_LIMIT, name, (bucket) =>
        bucket.peek(limit, windowMs, longer),
      ))
    )
  } catch (cause) {
    log.error("a rate-limit bucket could not be reached", cause)
    return null
  }
}

/**
 * Holds a caller to budgets that something else spends from, such as failures.
 * @throws Refusal `rate_limited` when one of them is used up
 */
export async function assertLeft(env: Env, log: Log, limits: Limit[]): Promise<void> {
  const budgets = await Promise.all(limits.map((limit) => peek(env, log, limit)))
  const used = budgets.find((budget) => budget !== null && !budget.allowed)
  if (used) throw exceeded(used)
}

/** @throws Refusal `rate_limited` for a budget that is used up */
export function assertAllowed(budget: Budget | null): void {
  if (budget && !budget.allowed) throw exceeded(budget)
}

/** The refusal of a budget that is used up. */
function exceeded(budget: Budget): Refusal {
  const seconds = Math.max(1, Math.ceil((budget.resetAt - Date.now()) / 1000))
  return new Refusal("rate_limited", { retryAfter: seconds, seconds, headers: budgetHeaders(budget, true) })
}

/**
 * The headers that tell a budget.
 * @param withReset whether they say when its window ends
 */
export const budgetHeaders = (budget: Budget | null, withReset = false): Record<string, string> =>
  budget
    ? {
        "X-RateLimit-Limit": String(budget.limit),
        "X-RateLimit-Remaining": String(budget.remaining),
        ...(withReset && { "X-RateLimit-Reset": String(Math.ceil(budget.resetAt / 1000)) }),
      }
    : {}

/** How much more the /48 around an IPv6 line may do than the line. */
const IPV6_48_FACTOR = 4

/**
 * The budgets of a client's address: its own, and for IPv6 a wider one around it.
 * @param kind what is counted
 */
export function addressLimits(kind: string, ip: string, limit: number, windowMs?: number): Limit[] {
  const { network, wider } = clientNetwork(ip)
  const own = { name: `${kind}:${network}`, limit, windowMs }
  return wider === null ? [own] : [own, { name: `${kind}:${wider}`, limit: limit * IPV6_48_FACTOR, windowMs }]
}

/**
 * Runs work that may be a guess, and counts it unless it succeeds. It is counted before it runs, so that guesses in parallel are no
 * more than guesses one by one.
 * @param limits of failures
 * @throws Refusal `rate_limited` when one of the limits is used up; whatever `work` throws
 */
export async function countFailures<Answer>(
  ctx: Pick<Ctx, "env" | "log" | "after">,
  limits: Limit[],
  work: () => Promise<Answer>,
): Promise<Answer> {
  await spend(ctx.env, ctx.log, limits)
  const answer = await work()
  refund(ctx, limits)
  return answer
}

/** Refunds, in the background, what `take` or `spend` counted against limits that were not used up. */
export function refund({ env, log, after }: Pick<Ctx, "env" | "log" | "after">, limits: Pick<Limit, "name">[]): void {
  after(Promise.all(limits.map(({ name }) => refundAll(env, log, name))))
}

/** Takes a hit back that `take` counted, of a budget that is not used up. */
export async function refundAll(env: Env, log: Log, name: string): Promise<void> {
  refused.get(env)?.delete(name)
  try {
    await callDurable<RateLimitBucket, null>(env.RATE_LIMIT, name, (bucket) => bucket.refundAll())
  } catch (cause) {
    log.error("a rate-limit bucket could not be reached", cause)
  }
}

/**
 * What is read beside a count, heard after it: who has tried too often is told that, and nothing of what was read.
 * @throws whatever the count throws, then whatever the read does
 */
export async function afterRateLimit<Read>(counted: Promise<unknown>, read: PromiseLike<Read>): Promise<Read> {
  const reading = Promise.resolve(read)
  reading.catch(() => undefined)
  await counted
  return reading
}
