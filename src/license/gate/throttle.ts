// Throttling: a budget for the client's address, for its key, or for both, as the settings say.
import { addressLimits, type Limit } from "../../core/budget"
import type { LicenseSettings } from "../settings"

/**
 * The budgets that a request is counted refusedByRules, whether its key is any good or not.
 * @param caller the connection's address, and the presented key's SHA-256; a caller without a key has the budget of its address
 */
export function limitsOf(settings: LicenseSettings, { ip, keyHash }: { ip: string; keyHash: string | null }): Limit[] {
  const limit = settings.lm_requests_rate_limiting_period
  const byAddress = addressLimits("license:ip", ip, limit)
  const byKey = keyHash ? [{ name: `license:key:${keyHash}`, limit }] : byAddress
  switch (settings.lm_requests_rate_limiting_method) {
    case "ip_address":
      return byAddress
    case "api_key":
      return byKey
    case "api_key_ip_address":
      return keyHash ? [...byAddress, ...byKey] : byAddress
  }
}
