// Throttling: one budget for the credential that was presented, whether it is any good or not, and one for the address.
import { addressLimits, type Limit } from "../../core/http/rate-limit"
import type { Settings } from "../../env"

/**
 * The budgets that a request is counted against.
 * @param keyHash of the presented credential; null for a caller without one, or with one that cannot be a key, who has the budget of the
 *   address instead
 */
export function limitsOf(settings: Settings, { keyHash, ip }: { keyHash: string | null; ip: string }): Limit[] {
  const limit = settings.TENANCY_API_RATE_LIMIT
  const perIp = settings.TENANCY_API_RATE_LIMIT_PER_IP
  const credential = keyHash === null ? addressLimits("anonymous", ip, limit) : [{ name: `key:${keyHash}`, limit }]
  return [...credential, ...(perIp > 0 ? addressLimits("ip", ip, perIp) : [])]
}
