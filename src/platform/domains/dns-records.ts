// Compares a domain's current DNS records with the expected ones.

import type { Ctx } from "../../core/context"
import { dnsResolver } from "../../core/outbound/fetch"
import type { Lookup, RecordType } from "../../lib/dns"
import { loadDomain } from "./queries"
import { type Domain, domainResource, TXT_PREFIX } from "./schemas"

export interface DnsRecordCheck extends Lookup {
  name: string
  type: RecordType
  /** The expected value; null where any record that leads here is fine. */
  expected: string | null
}

/**
 * Looks up the records that a domain needs and the addresses it resolves to, with four queries in parallel.
 * @param segment the domain's row id or hostname
 * @throws Refusal `not_found`
 */
export async function lookupDnsRecords(
  ctx: Ctx,
  storeId: string,
  segment: string,
): Promise<{ domain: Domain; records: DnsRecordCheck[] }> {
  const domain = await loadDomain(ctx, storeId, segment)
  const { verification } = domainResource(ctx.settings, { ...domain, verifiedAt: null })
  const dns = dnsResolver(ctx.settings)
  const queries: [name: string, type: RecordType, expected: string | null][] = [
    [TXT_PREFIX + domain.domain, "TXT", verification?.txt_value ?? null],
    [domain.domain, "CNAME", verification?.cname_target ?? null],
    [domain.domain, "A", null],
    [domain.domain, "AAAA", null],
  ]
  const records = await Promise.all(
    queries.map(async ([name, type, expected]) => ({ name, type, expected, ...(await dns.lookup(name, type)) })),
  )
  return { domain, records }
}
