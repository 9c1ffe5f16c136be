// Retries work after transient errors of the platform. An error may also mean that only the response was lost, so the
// work has to be safe to repeat: idempotent, guarded, or able to recognize its own effect.
import { isTransient } from "../../db/errors"
import { jitter } from "../../lib/random"
import { countTransientError } from "../../lib/transient-errors"

/** Attempts, including the first. With the backoff below, they cover an outage of about half a second. */
const MAX_ATTEMPTS = 6

/** The upper bound of the random backoff in milliseconds: it doubles with every attempt, from 50 to 200. */
const FIRST_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 200

/**
 * Runs work again after transient errors.
 * @param work receives the number of the attempt, from 1; from the second on, an earlier one may have taken effect
 * @returns its result
 * @throws its error: the last transient one, or any other immediately
 */
export async function retryTransient<Result>(work: (attempt: number) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt)
    } catch (cause) {
      if (attempt === MAX_ATTEMPTS || !isTransient(cause)) throw cause
      countTransientError("database")
      await scheduler.wait(jitter(Math.min(FIRST_BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS)))
    }
  }
}
