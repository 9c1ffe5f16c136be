// Retries with exponential backoff, so long-running commands survive a short outage such as a deployment.
import { setTimeout as sleep } from "node:timers/promises"
import { ApiError, UnreachableError } from "../lib/api.ts"

const INITIAL_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 5_000

/** Waits before the next attempt; the delay doubles with each failure. */
export const backOff = (failures: number): Promise<void> =>
  sleep(Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** failures))

/** Retries while the platform is unreachable, rate limited or failing; throws other errors. */
export async function retryUntilReachable<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await work()
    } catch (error) {
      const isTransient =
        error instanceof UnreachableError || (error instanceof ApiError && isRetryableStatus(error.status))
      if (!isTransient) throw error
      if (failures === 0) console.error(`${(error as Error).message} Retrying.`)
      await backOff(failures)
    }
  }
}

const isRetryableStatus = (status: number): boolean => status === 429 || status >= 500
