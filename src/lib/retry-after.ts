// Parses the header `Retry-After`.
import { SECOND } from "./time"

/**
 * Parses seconds or a date to milliseconds from now (RFC 9110, section 10.2.3).
 * @param now milliseconds since 1970
 * @returns null if it is neither
 */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (!header) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
