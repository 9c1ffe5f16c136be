// Looks verification tokens up in DNS: in a TXT record that only the domain's owner can set.
import { isRoutable } from "../../core/http/store-access"
import type { Settings } from "../../env"
import { resolver } from "../../lib/dns"
import { hmacSha256 } from "../../lib/hash"
import { type Domain, TXT_PREFIX, type VerificationReason } from "./schemas"

/**
 * Asks DNS for a domain's token. A CNAME proves nothing: it may have been pointed here for another store.
 * @returns null when the token is there, else why not
 */
export async function checkDomain(settings: Settings, domain: Domain): Promise<VerificationReason | null> {
  const values = await readRecord(settings, domain.domain)
  if (values === null) return "dns_error"
  if (values.length === 0) return "record_not_found"
  return values.includes(domain.verificationToken ?? "") ? null : "value_mismatch"
}

/** The values of a domain's verification record; null when DNS could not tell. */
async function readRecord(settings: Settings, hostname: string): Promise<string[] | null> {
  const dns = resolver(settings.DNS_RESOLVER_URL, (...request) => fetch(...request))
  const { status, records } = await dns.lookup(TXT_PREFIX + hostname, "TXT")
  return status === "failed" || status === "unanswered" ? null : records.map((record) => record.trim())
}

/**
 * What DNS says of a store's claim on a domain that another one attached: `unknown` when DNS could not tell, `missing` without the
 * store's token, `contested` while the token of the store that verified the domain, or of one that claimed it earlier, is there too.
 */
type ClaimState = "unknown" | "missing" | "contested" | "valid"

/**
 * Looks a store's claim on another store's domain up.
 * @param claimant the store's `seq`: a later store of the same name has another token
 * @returns the claim's state, and the token that the TXT record must hold
 */
export async function checkClaim(
  settings: Settings,
  holder: Domain,
  claimant: number,
): Promise<{ state: ClaimState; token: string }> {
  const token = await claimToken(settings, claimant, holder.domain)
  const values = await readRecord(settings, holder.domain)
  if (values === null) return { state: "unknown", token }
  if (!values.includes(token)) return { state: "missing", token }
  const isEarlier = holder.claimSeq !== null && holder.claimSeq !== claimant
  const rivals = [
    isRoutable(holder) && holder.verificationToken,
    isEarlier && (await claimToken(settings, holder.claimSeq ?? 0, holder.domain)),
  ]
  return { state: rivals.some((rival) => rival && values.includes(rival)) ? "contested" : "valid", token }
}

/** The token is derived from the store and the name, so that a refusal can name it without storing it. */
async function claimToken(settings: Settings, store: number, hostname: string): Promise<string> {
  const proof = await hmacSha256(settings.APP_KEY.current, `domain claim\n${store}\n${hostname}`)
  return `tenancy-verify-${proof.toHex().slice(0, 32)}`
}
