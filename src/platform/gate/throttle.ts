// Throttling: one budget for the credential that was presented, whether it is any good or not, and one for the address.
import { take } from "../../core/budget"
import type { Log } from "../../core/log"
import { Refusal } from "../../core/refusal"
import type { Env, Settings } from "../../env"
import { sha256 } from "../../lib/hash"

/**
 * Counts a request against both budgets, at once.
 * @param token the presented credential; a caller without one has the budget of its address instead
 * @returns the headers that tell the tighter budget; none when no bucket could be reached
 * @throws Refusal `rate_limited` when either budget is used up
 */
export async function throttle(
  env: Env,
  settings: Settings,
  log: Log,
  caller: { token: string | null; ip: string },
): Promise<Record<string, string>> {
  const credential = caller.token ? `key:${await sha256(caller.token)}` : `anonymous:${caller.ip}`
  const perIp = settings.TENANCY_API_RATE_LIMIT_PER_IP
  const budgets = await Promise.all([
    take(env, log, credential, settings.TENANCY_API_RATE_LIMIT),
    perIp > 0 ? take(env, log, `ip:${caller.ip}`, perIp) : null,
  ])
  const known = budgets.filter((budget) => budget !== null)
  const [tighter] = known.sort((a, b) => Number(a.allowed) - Number(b.allowed) || a.remaining - b.remaining)
  if (!tighter) return {}
  const headers = { "X-RateLimit-Limit": String(tighter.limit), "X-RateLimit-Remaining": String(tighter.remaining) }
  if (tighter.allowed) return headers
  const seconds = Math.max(1, Math.ceil((tighter.resetAt - Date.now()) / 1000))
  const reset = { "X-RateLimit-Reset": String(Math.ceil(tighter.resetAt / 1000)) }
  throw new Refusal("rate_limited", { retryAfter: seconds, seconds, headers: { ...headers, ...reset } })
}
