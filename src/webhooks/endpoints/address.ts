// Whether an endpoint may have an address: its text, whose domain it is, and where its name leads now.
import { eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { checkUrl, resolveHost } from "../../core/outbound/addresses"
import { domains } from "../../db/schema/central/domains"
import { resolver } from "../../lib/dns"

/** A URL judged by its text alone. */
type Judged = ReturnType<typeof checkUrl>

/** Judges a URL by its text; nothing is asked. */
export const judge = ({ settings }: Ctx, url: string): Judged =>
  checkUrl(url, {
    centralDomain: settings.CENTRAL_DOMAIN,
    allowPrivateHosts: settings.TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS,
  })

/** The statement that finds the store's domain which the URL's host is, if it is one. */
export function ownedDomain(ctx: Ctx, judged: Judged | null) {
  const isHost: SQL = judged?.ok ? eq(domains.domain, judged.host) : sql`false`
  return ctx.db.select({ id: domains.id }).from(domains).where(isHost)
}

/**
 * Holds an address to all the rules; asks DNS last.
 * @param owned what `ownedDomain` found
 * @throws Refusal `validation_failed`
 */
export async function assertAllowed(ctx: Ctx, judged: Judged, owned: unknown[]): Promise<void> {
  if (!judged.ok) throw invalid("url", judged.reason === "malformed" ? "url" : "unsafe_url")
  if (owned.length) throw invalid("url", "unsafe_url")
  if (ctx.settings.TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS) return
  const leadsTo = await resolveHost(judged.host, resolver(ctx.settings.DNS_RESOLVER_URL, fetch))
  if (leadsTo !== "public") throw invalid("url", "unsafe_url")
}
