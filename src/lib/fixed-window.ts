// Counts hits in fixed windows. A window opens with its first hit; the first hit after its end opens another.

/** The default window length. */
export const WINDOW_MS = 60_000

export interface Window {
  /** End of the window, in milliseconds since 1970. */
  endsAt: number
  /** Hits in the window, counted up to one past the limit. */
  hits: number
}

/** The window before the first hit. */
export const EMPTY_WINDOW: Window = { endsAt: 0, hits: 0 }

/** The state of a budget, as callers see it. */
export interface Budget {
  allowed: boolean
  limit: number
  remaining: number
  /** End of the window, in milliseconds since 1970. */
  resetAt: number
}

/**
 * Counts one hit.
 * @param window the window so far
 * @param limit allowed hits per window
 * @param now milliseconds since 1970
 * @param windowMs window length in milliseconds
 * @returns the window with the hit, and whether it was within the limit
 */
export function hit(
  window: Window,
  limit: number,
  now: number,
  windowMs = WINDOW_MS,
): { window: Window; budget: Budget } {
  const open = now < window.endsAt ? window : { endsAt: now + windowMs, hits: 0 }
  const hits = Math.min(open.hits + 1, limit + 1)
  return {
    window: { endsAt: open.endsAt, hits },
    budget: { allowed: hits <= limit, limit, remaining: Math.max(0, limit - hits), resetAt: open.endsAt },
  }
}
