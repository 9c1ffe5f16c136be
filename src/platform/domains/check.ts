// The proof that a domain is its store's: the token in a TXT record that only the domain's owner can set.
import type { Settings } from "../../env"
import { resolver } from "../../lib/dns"
import { type Domain, TXT_PREFIX, type VerificationReason } from "./schemas"

/**
 * Asks DNS for a domain's token. A CNAME proves nothing: it may have been pointed here for another store.
 * @returns null when the token is there, else why not
 */
export async function checkDomain(settings: Settings, domain: Domain): Promise<VerificationReason | null> {
  const dns = resolver(settings.DNS_RESOLVER_URL, (...request) => fetch(...request))
  const { status, records } = await dns.lookup(TXT_PREFIX + domain.domain, "TXT")
  if (status === "error") return "dns_error"
  if (records.length === 0) return "record_not_found"
  return records.some((record) => record.trim() === domain.verificationToken) ? null : "value_mismatch"
}
