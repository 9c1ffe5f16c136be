// Where an installation is, as far as a license is concerned: what makes two requests come from the same one.
import type { LicenseFacts, RequestFacts } from "./facts"

/**
 * The place of an installation. A domain is one place whatever address its server calls from, because outgoing addresses
 * change and nobody may be locked out by that; only where the license itself names addresses does the address count too.
 * Software that has no domain is told by its address.
 */
export function placeOf(license: Pick<LicenseFacts, "ips">, { domain, ip }: Omit<RequestFacts, "clientName">): string {
  if (domain === null) return `ip:${ip ?? "unknown"}`
  return license.ips.length > 0 ? `${domain}|${ip ?? "unknown"}` : domain
}
