// Throttling: a budget for the client's address, for its key, or for both, as the settings say.
import { take } from "../../core/budget"
import type { Log } from "../../core/log"
import { Refusal } from "../../core/refusal"
import type { Env } from "../../env"
import type { LicenseSettings } from "../settings"

/**
 * Counts a request, whether its key is any good or not.
 * @param caller the connection's address, and the presented key's SHA-256; a caller without a key has the budget of its address
 * @returns the headers that tell the tighter budget; none when no bucket could be reached
 * @throws Refusal `rate_limited`
 */
export async function throttle(
  env: Env,
  log: Log,
  settings: LicenseSettings,
  caller: { ip: string; keyHash: string | null },
): Promise<Record<string, string>> {
  const limit = settings.lm_requests_rate_limiting_period
  const buckets = bucketsOf(settings.lm_requests_rate_limiting_method, caller)
  const budgets = await Promise.all(buckets.map((name) => take(env, log, `license:${name}`, limit)))
  const known = budgets.filter((budget) => budget !== null)
  const [tighter] = known.sort((a, b) => Number(a.allowed) - Number(b.allowed) || a.remaining - b.remaining)
  if (!tighter) return {}
  const headers = { "X-RateLimit-Limit": String(tighter.limit), "X-RateLimit-Remaining": String(tighter.remaining) }
  if (tighter.allowed) return headers
  const retryAfter = Math.max(1, Math.ceil((tighter.resetAt - Date.now()) / 1000))
  throw new Refusal("rate_limited", { retryAfter, headers })
}

function bucketsOf(
  method: LicenseSettings["lm_requests_rate_limiting_method"],
  { ip, keyHash }: { ip: string; keyHash: string | null },
): string[] {
  const byAddress = `ip:${ip}`
  const byKey = keyHash ? `key:${keyHash}` : byAddress
  switch (method) {
    case "ip_address":
      return [byAddress]
    case "api_key":
      return [byKey]
    case "api_key_ip_address":
      return [...new Set([byAddress, byKey])]
  }
}
