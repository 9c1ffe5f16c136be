// Fixed-window counting: a window opens with its first hit, lasts its time, and the next hit after it opens another.

/** A window's milliseconds, where nothing else is said. */
export const WINDOW_MS = 60_000

export interface Window {
  /** When it ends, in milliseconds since 1970. */
  endsAt: number
  /** Hits in it, counted up to one past the limit. */
  hits: number
}

/** Before the first hit. */
export const UNUSED: Window = { endsAt: 0, hits: 0 }

/** What a caller is told about a budget. */
export interface Budget {
  allowed: boolean
  limit: number
  remaining: number
  /** When the window ends, in milliseconds since 1970. */
  resetAt: number
}

/**
 * Counts one hit.
 * @param window the window so far
 * @param limit hits a window allows
 * @param now milliseconds since 1970
 * @param windowMs milliseconds that a window lasts
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
