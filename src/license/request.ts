// Reads the client's API key, domain, address and language from the request headers. Legacy clients use other header
// names.
import type { Context } from "hono"
import { connectingIp } from "../core/http/http"
import { normaliseDomain } from "./rules/domains"
import type { InstallationInfo } from "./rules/facts"
import { normaliseIp } from "./rules/ips"

const HEADERS = {
  key: ["X-API-KEY", "LB-API-KEY"],
  url: ["X-API-URL", "LB-URL"],
  ip: ["X-API-IP", "LB-IP"],
  language: ["X-API-LANGUAGE", "LB-LANG"],
} as const

/** Returns a header by its current or legacy name; null when both are missing or empty. */
export function getHeader(c: Context, name: keyof typeof HEADERS): string | null {
  const [current, legacy] = HEADERS[name]
  return c.req.header(current)?.trim() || c.req.header(legacy)?.trim() || null
}

/** Returns the presented API key, from the key header or as a bearer token. */
export const getPresentedKey = (c: Context): string | null =>
  getHeader(c, "key") ?? /^Bearer\s+(\S+)\s*$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? null

/**
 * Returns the client's domain and address: those it sends, with the Origin or Referer and the connecting address as
 * fallbacks.
 */
export function parseClient(c: Context): Omit<InstallationInfo, "clientName"> {
  const page = getHeader(c, "url") ?? c.req.header("Origin") ?? c.req.header("Referer") ?? ""
  const sentIp = normaliseIp(getHeader(c, "ip") ?? "")
  return { domain: normaliseDomain(page), ip: sentIp ?? normaliseIp(connectingIp(c)) }
}
