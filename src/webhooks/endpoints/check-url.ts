// Checks whether a URL may become an endpoint: its text, the stores' domains and its DNS records.

import { eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { FieldRule } from "../../core/http/refusal"
import { dnsResolver } from "../../core/outbound/fetch"
import { checkUrl, resolveHost, type UrlRefusal } from "../../core/outbound/url-safety"
import { domains } from "../../db/schema/central/domains"

/** The result of checking a URL's text. */
type UrlCheck = ReturnType<typeof checkUrl>

/** Checks a URL by its text, without any request. */
export const checkEndpointUrl = ({ settings }: Ctx, url: string): UrlCheck =>
  checkUrl(url, {
    centralDomain: settings.CENTRAL_DOMAIN,
    allowPrivateHosts: settings.TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS,
  })

/** Selects the store domain that equals the URL's host, if there is one. */
export function selectOwnedDomain(ctx: Ctx, checked: UrlCheck | null) {
  const isHost: SQL = checked?.ok ? eq(domains.domain, checked.host) : sql`false`
  return ctx.db.select({ id: domains.id }).from(domains).where(isHost)
}

/** The rule of each reason for which a URL's text is refused. */
const RULES: Record<UrlRefusal, FieldRule> = {
  too_long: "url",
  malformed: "url",
  not_https: "https_url",
  credentials: "url_without_credentials",
  port: "url_port",
  own_domain: "foreign_url",
  address: "host_name_url",
  private_host: "public_url",
}

/**
 * Returns the rule that a URL violates, or null. DNS is queried last, also when other fields are invalid: the caller's
 * key has been authenticated and rate limited.
 * @param ownedDomains the rows of `selectOwnedDomain`
 */
export async function findUrlError(ctx: Ctx, checked: UrlCheck, ownedDomains: unknown[]): Promise<FieldRule | null> {
  if (!checked.ok) return RULES[checked.reason]
  if (ownedDomains.length) return "foreign_url"
  if (ctx.settings.TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS) return null
  const resolved = await resolveHost(checked.host, dnsResolver(ctx.settings))
  if (resolved === "public") return null
  return resolved === "unsafe" ? "public_url" : "resolvable_url"
}
