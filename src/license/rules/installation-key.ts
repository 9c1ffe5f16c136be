// Where an installation is, as far as a license is concerned: what makes two requests come from the same one.
import type { LicenseFacts, RequestFacts } from "./facts"

/**
 * The place of an installation. A domain is one place whatever address its server calls from, because outgoing addresses
 * change and nobody may be locked out by that; only where the license itself names addresses does the address count too.
 * Software that has no domain is told by its address.
 */
export const placeOf = ({ ips }: Pick<LicenseFacts, "ips">, request: Omit<RequestFacts, "clientName">): string =>
  ips.length > 0 ? placesOf(request).withAddress : placesOf(request).withoutAddress

/** What `placeOf` answers, of a license that names addresses and of one that names none. */
export function placesOf({ domain, ip }: Omit<RequestFacts, "clientName">) {
  const address = ip ?? "unknown"
  if (domain === null) return { withAddress: `ip:${address}`, withoutAddress: `ip:${address}` }
  return { withAddress: `${domain}|${address}`, withoutAddress: domain }
}
