// Throttling: one budget for the credential that was presented, whether it is any good or not, and one for the address.
import { addressLimits, type Limit } from "../../core/budget"
import type { Settings } from "../../env"
import { sha256 } from "../../lib/hash"
import { isKeyForm } from "./authenticate"

/**
 * The budgets that a request is counted against.
 * @param token the presented credential; a caller without one, or with one that cannot be a key, has the budget of its address instead
 */
export async function limitsOf(settings: Settings, caller: { token: string | null; ip: string }): Promise<Limit[]> {
  const limit = settings.TENANCY_API_RATE_LIMIT
  const perIp = settings.TENANCY_API_RATE_LIMIT_PER_IP
  const credential =
    caller.token && isKeyForm(caller.token)
      ? [{ name: `key:${await sha256(caller.token)}`, limit }]
      : addressLimits("anonymous", caller.ip, limit)
  return [...credential, ...(perIp > 0 ? addressLimits("ip", caller.ip, perIp) : [])]
}
