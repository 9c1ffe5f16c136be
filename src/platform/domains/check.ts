// Looks up verification tokens in DNS, in a TXT record that only the domain's owner can set.

import { isRoutable } from "../../core/http/store-access"
import { dnsResolver } from "../../core/outbound/fetch"
import type { Settings } from "../../env"
import { hmacSha256 } from "../../lib/hash"
import { type Domain, TXT_PREFIX, type VerificationReason } from "./schemas"

/**
 * Looks up a domain's verification token. A CNAME proves nothing: it may have been set for another store.
 * @returns null when the token is there, else the reason
 */
export async function checkDomain(settings: Settings, domain: Domain): Promise<VerificationReason | null> {
  const tokens = await lookupTokens(settings, domain.domain)
  if (tokens === null) return "dns_error"
  if (tokens.length === 0) return "record_not_found"
  return tokens.includes(domain.verificationToken ?? "") ? null : "value_mismatch"
}

/** Returns the values of a domain's verification record; null when the lookup failed. */
async function lookupTokens(settings: Settings, hostname: string): Promise<string[] | null> {
  const dns = dnsResolver(settings)
  const { status, records } = await dns.lookup(TXT_PREFIX + hostname, "TXT")
  return status === "failed" || status === "unanswered" ? null : records.map((record) => record.trim())
}

/**
 * The state of a store's claim on a domain that another store attached: `unknown` when DNS failed, `missing` without
 * the store's token, `contested` while DNS also has the token of the store that verified the domain or of an earlier
 * claimant.
 */
type ClaimState = "unknown" | "missing" | "contested" | "valid"

/**
 * Checks a store's claim on another store's domain.
 * @param holder the domain's row of the store that attached it
 * @param claimantSeq the claiming store's `seq`: a later store of the same subdomain has another token
 * @returns the claim's state, and the token that the TXT record must have
 */
export async function checkClaim(
  settings: Settings,
  holder: Domain,
  claimantSeq: number,
): Promise<{ state: ClaimState; token: string }> {
  const token = await deriveClaimToken(settings, claimantSeq, holder.domain)
  const tokens = await lookupTokens(settings, holder.domain)
  if (tokens === null) return { state: "unknown", token }
  // lint: the token is public, in a DNS record
  if (!tokens.includes(token)) return { state: "missing", token }
  const isEarlier = holder.claimSeq !== null && holder.claimSeq !== claimantSeq
  const competingTokens = [
    isRoutable(holder) && holder.verificationToken,
    isEarlier && (await deriveClaimToken(settings, holder.claimSeq ?? 0, holder.domain)),
  ]
  return {
    state: competingTokens.some((competing) => competing && tokens.includes(competing)) ? "contested" : "valid",
    token,
  }
}

/** Derives the token from the store and the hostname, so a refusal can name it without storing it. */
async function deriveClaimToken(settings: Settings, store: number, hostname: string): Promise<string> {
  const proof = await hmacSha256(settings.APP_KEY.current, `domain claim\n${store}\n${hostname}`)
  return `tenancy-verify-${proof.toHex().slice(0, 32)}`
}
