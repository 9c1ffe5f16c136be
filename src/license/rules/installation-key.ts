// Computes the key that identifies an installation of licensed software across requests.
import type { InstallationInfo, LicenseFacts } from "./facts"

/**
 * Returns the key of an installation. A domain is one installation for all addresses that its server calls from,
 * because outgoing addresses change and that must not lock a customer out. The address counts only if the license
 * restricts addresses, or if the software has no domain.
 */
export function getInstallationKey(
  { ips }: Pick<LicenseFacts, "ips">,
  request: Omit<InstallationInfo, "clientName">,
): string {
  const { withIp, withoutIp } = getInstallationKeys(request)
  return ips.length > 0 ? withIp : withoutIp
}

/** Returns both possible keys: for licenses with an address list (`withIp`) and for those without. */
export function getInstallationKeys({ domain, ip }: Omit<InstallationInfo, "clientName">) {
  const address = ip ?? "unknown"
  if (domain === null) return { withIp: `ip:${address}`, withoutIp: `ip:${address}` }
  return { withIp: `${domain}|${address}`, withoutIp: domain }
}
