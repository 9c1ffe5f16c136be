// When a failed delivery is tried again.
import { later, SECOND } from "../lib/time"

/** Seconds from each failed attempt to the next one. */
const RETRY_DELAYS = [60, 300, 1800, 7200, 43200] as const

/** Attempts that the platform makes by itself: the first one and a retry for each delay. */
export const MAX_ATTEMPTS = RETRY_DELAYS.length + 1

/**
 * The moment of the next attempt.
 * @param attempt how many attempts were made, from 1
 * @returns null once the last slot is used
 */
export function nextAttempt(attempt: number, now: Date): Date | null {
  const seconds = RETRY_DELAYS[attempt - 1]
  return seconds === undefined ? null : later(now, seconds * SECOND)
}
