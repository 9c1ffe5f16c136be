// The rate limits of the license manager: by client network, by key, or by both, as the settings say.
import { addressLimits, type Limit } from "../../core/http/rate-limit"
import type { LicenseSettings } from "../settings"

/**
 * The limits that a request is counted against before its key is looked up.
 * @param hasKey whether a key came along; a request without one always counts against its network
 */
export const limitsBeforeKey = (settings: LicenseSettings, { ip, hasKey }: { ip: string; hasKey: boolean }): Limit[] =>
  settings.lm_requests_rate_limiting_method === "api_key" && hasKey ? [] : networkLimits(settings, ip)

/**
 * The limits that a request with a key is counted against once the key was looked up. Only a key that exists has a limit of its own:
 * a bucket for every key that a client makes up would limit nobody.
 * @param keyId null for an unknown key, which counts against its network
 */
export function limitsOfKey(settings: LicenseSettings, { ip, keyId }: { ip: string; keyId: number | null }): Limit[] {
  const limit = settings.lm_requests_rate_limiting_period
  const method = settings.lm_requests_rate_limiting_method
  if (method === "ip_address") return []
  if (keyId !== null) return [{ name: `license:key:${keyId}`, limit }]
  return method === "api_key" ? networkLimits(settings, ip) : []
}

const networkLimits = (settings: LicenseSettings, ip: string): Limit[] =>
  addressLimits("license:ip", ip, settings.lm_requests_rate_limiting_period)
