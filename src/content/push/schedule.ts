// Retry schedule of a push to one device.
import { SECOND } from "../../lib/time"

/** Maximum requests per device and notification. */
export const MAX_ATTEMPTS = 6

/**
 * Computes the delay before the next attempt: the delay that the provider requested, or an exponential backoff of 10,
 * 20, 40 … seconds.
 * @param attempts attempts made so far
 * @param retryAfter delay requested by the provider, in milliseconds
 * @returns milliseconds; null when there are no attempts left
 */
export const retryDelay = (attempts: number, retryAfter: number | null): number | null =>
  attempts >= MAX_ATTEMPTS ? null : (retryAfter ?? 10 * SECOND * 2 ** (attempts - 1))
