// Patience of the commands that stay: a platform that is away for a moment, as during a deployment, ends none of them.
import { setTimeout as sleep } from "node:timers/promises"
import { ApiRefusal, Unreachable } from "../lib/api.ts"

/** Milliseconds before what failed is tried again: the first time, and at most. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 5_000

/** Waits before another try, longer after each. */
export const pause = (failures: number): Promise<void> => sleep(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures))

/** Asks again while nobody answers; a refusal is final. */
export async function untilAnswered<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  for (let failures = 0; ; failures++) {
    try {
      return await work()
    } catch (error) {
      const isPassing = error instanceof Unreachable || (error instanceof ApiRefusal && isBusy(error.status))
      if (!isPassing) throw error
      if (failures === 0) console.error(`${(error as Error).message} Trying again.`)
      await pause(failures)
    }
  }
}

const isBusy = (status: number): boolean => status === 429 || status >= 500
