// The retry schedule of failed deliveries: a backoff with fixed, published delays.
import { addMs, SECOND } from "../lib/time"

/** Delay from each failed attempt to the next one. */
export const RETRY_DELAYS_SECONDS = [60, 300, 1800, 7200, 43200] as const

/** Automatic attempts: the first one, and one retry per delay. */
export const MAX_ATTEMPTS = RETRY_DELAYS_SECONDS.length + 1

/**
 * Computes the time of the next attempt.
 * @param attempt number of attempts made, from 1
 * @returns null after the last attempt
 */
export function getNextAttemptAt(attempt: number, now: Date): Date | null {
  const seconds = RETRY_DELAYS_SECONDS[attempt - 1]
  return seconds === undefined ? null : addMs(now, seconds * SECOND)
}
