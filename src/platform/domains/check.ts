// The proof that a domain is its store's: the token in a TXT record that only the domain's owner can set.
import { Refusal } from "../../core/refusal"
import type { Settings } from "../../env"
import { resolver } from "../../lib/dns"
import { hmacSha256 } from "../../lib/hash"
import { type Domain, TXT_PREFIX, type VerificationReason } from "./schemas"

/**
 * Asks DNS for a domain's token. A CNAME proves nothing: it may have been pointed here for another store.
 * @returns null when the token is there, else why not
 */
export const checkDomain = (settings: Settings, domain: Domain): Promise<VerificationReason | null> =>
  checkToken(settings, domain.domain, domain.verificationToken ?? "")

async function checkToken(settings: Settings, hostname: string, token: string): Promise<VerificationReason | null> {
  const dns = resolver(settings.DNS_RESOLVER_URL, (...request) => fetch(...request))
  const { status, records } = await dns.lookup(TXT_PREFIX + hostname, "TXT")
  if (status === "failed" || status === "unanswered") return "dns_error"
  if (records.length === 0) return "record_not_found"
  return records.some((record) => record.trim() === token) ? null : "value_mismatch"
}

/**
 * Whether a store has proved a domain that another one attached and never did. The token is made of the store and the name, so that a
 * refusal can tell it and keep nothing.
 * @param store its `seq`: a later store of the same name has another token
 * @returns the token
 * @throws Refusal `already_taken`, which names the record that would prove it
 */
export async function assertClaimed(settings: Settings, store: number, hostname: string): Promise<string> {
  const proof = await hmacSha256(settings.APP_KEY.current, `domain claim\n${store}\n${hostname}`)
  const token = `tenancy-verify-${proof.toHex().slice(0, 32)}`
  if ((await checkToken(settings, hostname, token)) !== null)
    throw new Refusal("already_taken", { record: TXT_PREFIX + hostname, value: token })
  return token
}
