// The retry schedule of failed deliveries: a backoff with fixed, published delays.
import { parseRetryAfter } from "../lib/retry-after"
import { addMs, DAY, SECOND } from "../lib/time"

/** Delay from each failed attempt to the next one. */
export const RETRY_DELAYS_SECONDS = [60, 300, 1800, 7200, 43200] as const

/** Automatic attempts: the first one, and one retry per delay. */
export const MAX_ATTEMPTS = RETRY_DELAYS_SECONDS.length + 1

/** The longest delay that a receiver may request with `Retry-After`. */
const MAX_RETRY_AFTER_MS = DAY

/** The statuses whose `Retry-After` delays the next attempt. */
const DELAYING_STATUSES: readonly number[] = [429, 503]

/**
 * Returns the delay that a response requests.
 * @param header its `Retry-After`
 * @param now milliseconds since 1970
 * @returns milliseconds, at most a day; undefined for none
 */
export function getRequestedDelayMs(status: number, header: string | null, now: number): number | undefined {
  const delay = DELAYING_STATUSES.includes(status) ? parseRetryAfter(header, now) : null
  return delay ? Math.min(delay, MAX_RETRY_AFTER_MS) : undefined
}

/**
 * Computes the time of the next attempt: as scheduled, or later if the receiver requested it.
 * @param attempt number of attempts made, from 1
 * @returns null after the last attempt
 */
export function getNextAttemptAt(attempt: number, now: Date, requestedDelayMs = 0): Date | null {
  const seconds = RETRY_DELAYS_SECONDS[attempt - 1]
  return seconds === undefined ? null : addMs(now, Math.max(seconds * SECOND, requestedDelayMs))
}
