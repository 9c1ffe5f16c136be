// What a request's headers say of the client that sent it. Older clients use names of their own for the same headers.
import type { Context } from "hono"
import { clientIp } from "../core/http/http"
import { normaliseDomain } from "./rules/domains"
import type { RequestFacts } from "./rules/facts"
import { normaliseIp } from "./rules/ips"

const HEADERS = {
  key: ["X-API-KEY", "LB-API-KEY"],
  url: ["X-API-URL", "LB-URL"],
  ip: ["X-API-IP", "LB-IP"],
  language: ["X-API-LANGUAGE", "LB-LANG"],
} as const

/** A header under its present name or its older one; null when both are absent or empty. */
export function headerOf(c: Context, name: keyof typeof HEADERS): string | null {
  const [present, older] = HEADERS[name]
  return c.req.header(present)?.trim() || c.req.header(older)?.trim() || null
}

/** The presented API key; a bearer token does as well, as everywhere on the platform. */
export const presentedKey = (c: Context): string | null =>
  headerOf(c, "key") ?? /^Bearer\s+(\S+)\s*$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? null

/**
 * Where the client is: the domain it names, or else the one its page was on; the address it names, or else the one it
 * called from.
 */
export function clientOf(c: Context): Omit<RequestFacts, "clientName"> {
  const page = headerOf(c, "url") ?? c.req.header("Origin") ?? c.req.header("Referer") ?? ""
  const named = normaliseIp(headerOf(c, "ip") ?? "")
  return { domain: normaliseDomain(page), ip: named ?? normaliseIp(clientIp(c)) }
}
