// What DNS answers about a domain at this moment, beside what it should.
import type { Ctx } from "../../core/context"
import { type Lookup, type RecordType, resolver } from "../../lib/dns"
import { loadDomain } from "./queries"
import { type Domain, domainResource, TXT_PREFIX } from "./schemas"

export interface DnsAnswer extends Lookup {
  name: string
  type: RecordType
  /** What a record of that type should say; null where anything that leads here will do. */
  wanted: string | null
}

/**
 * Asks DNS for the records that a domain is to have, and for the addresses that it leads to; four questions at once.
 * @param segment the domain's row id or hostname
 * @throws Refusal `not_found`
 */
export async function dnsAnswers(
  ctx: Ctx,
  storeId: string,
  segment: string,
): Promise<{ domain: Domain; answers: DnsAnswer[] }> {
  const domain = await loadDomain(ctx, storeId, segment)
  const { verification } = domainResource(ctx.settings, { ...domain, verifiedAt: null })
  const dns = resolver(ctx.settings.DNS_RESOLVER_URL, (...request) => fetch(...request))
  const questions: [name: string, type: RecordType, wanted: string | null][] = [
    [TXT_PREFIX + domain.domain, "TXT", verification?.txt_value ?? null],
    [domain.domain, "CNAME", verification?.cname_target ?? null],
    [domain.domain, "A", null],
    [domain.domain, "AAAA", null],
  ]
  const answers = await Promise.all(
    questions.map(async ([name, type, wanted]) => ({ name, type, wanted, ...(await dns.lookup(name, type)) })),
  )
  return { domain, answers }
}
