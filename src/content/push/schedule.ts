// When a device that the provider put off is tried again.
import { SECOND } from "../../lib/time"

/** Requests that one device gets. */
export const ATTEMPTS = 6

/**
 * Milliseconds until the next attempt: as long as the provider asks, or 10, 20, 40 … seconds.
 * @param attempts requests that were made
 * @param retryAfter what the provider said, in milliseconds
 * @returns null when there is no other attempt
 */
export const pauseAfter = (attempts: number, retryAfter: number | null): number | null =>
  attempts >= ATTEMPTS ? null : (retryAfter ?? 10 * SECOND * 2 ** (attempts - 1))
