// Chooses the license manager's rate limits: per client network, per API key, or both, depending on the settings.
import { addressLimits, type Limit } from "../../core/http/rate-limit"
import type { LicenseSettings } from "../settings"

/**
 * Returns the limits to check before the key lookup.
 * @param hasKey whether the request has a key; without one it always counts against its network
 */
export const getLimitsBeforeKey = (
  settings: LicenseSettings,
  { ip, hasKey }: { ip: string; hasKey: boolean },
): Limit[] => (settings.lm_requests_rate_limiting_method === "api_key" && hasKey ? [] : networkLimits(settings, ip))

/**
 * Returns the limits to check after the key lookup. Only existing keys have their own bucket; otherwise a client
 * could evade the limit with a different invalid key each time.
 * @param keyId null for an unknown key, which counts against its network
 */
export function getKeyLimits(settings: LicenseSettings, { ip, keyId }: { ip: string; keyId: number | null }): Limit[] {
  const limit = settings.lm_requests_rate_limiting_period
  const method = settings.lm_requests_rate_limiting_method
  if (method === "ip_address") return []
  if (keyId !== null) return [{ name: `license:key:${keyId}`, limit }]
  return method === "api_key" ? networkLimits(settings, ip) : []
}

const networkLimits = (settings: LicenseSettings, ip: string): Limit[] =>
  addressLimits("license:ip", ip, settings.lm_requests_rate_limiting_period)
