// Builds the rate limits of the control plane: one per presented credential, valid or not, and one per client network.
import { addressLimits, type Limit } from "../../core/http/rate-limit"
import type { Settings } from "../../env"

/**
 * Returns the limits that a request counts against.
 * @param keyHash of the presented credential; without one, or with one that cannot be a key, the network's limit
 *   applies instead
 */
export function buildLimits(settings: Settings, { keyHash, ip }: { keyHash: string | null; ip: string }): Limit[] {
  const limit = settings.TENANCY_API_RATE_LIMIT
  const perIp = settings.TENANCY_API_RATE_LIMIT_PER_IP
  const credential = keyHash === null ? addressLimits("anonymous", ip, limit) : [{ name: `key:${keyHash}`, limit }]
  return [...credential, ...(perIp > 0 ? addressLimits("ip", ip, perIp) : [])]
}
