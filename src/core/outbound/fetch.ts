// Sends requests to other servers. This is the only caller of the global `fetch`.
import type { Settings } from "../../env"
import { type Resolver, resolver } from "../../lib/dns"

declare const OUTBOUND: unique symbol

/** A URL that a request may go to: of a configured service, or checked by `vetUrl` (url-safety.ts). */
export type OutboundUrl = string & { readonly [OUTBOUND]: true }

/** Returns the URL of a service that an operator configured. Never for a URL that a user typed. */
export const serviceUrl = (base: string, path = ""): OutboundUrl => (base + path) as OutboundUrl

/** Marks a URL as safe; for url-safety.ts. */
export const safeUrl = (url: string): OutboundUrl => url as OutboundUrl

/**
 * Sends a request. A redirect is returned, not followed, because it could lead to a private address.
 * @param request with a signal, so that no request waits for ever
 */
export const fetchOutbound = (url: OutboundUrl, request: RequestInit & { signal: AbortSignal }): Promise<Response> =>
  fetch(url, { ...request, redirect: "manual" })

/** Returns a client of the configured DNS resolver. */
export const dnsResolver = ({ DNS_RESOLVER_URL }: Pick<Settings, "DNS_RESOLVER_URL">): Resolver =>
  resolver(DNS_RESOLVER_URL, (query, request) => fetchOutbound(serviceUrl(query), request))
