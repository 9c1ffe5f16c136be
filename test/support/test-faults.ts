// Makes calls of the Worker under test fail: `FAULT_RATE=0.01 npm run test`. A failed test prints the injected faults.
import { env } from "cloudflare:workers"
import { isTransient } from "../../src/db/errors"
import { withFaults } from "../../tools/faults/bindings"
import type { FaultOptions } from "../../tools/faults/faults"
import { seededRandom } from "../../tools/lib/random"

/** The share of calls that fail, from 0 to 1. */
const FAULT_RATE = Number(env.FAULT_RATE || 0)

const faults: string[] = []

let isPaused = false

const options: FaultOptions = {
  get rate() {
    return isPaused ? 0 : FAULT_RATE
  },
  random: seededRandom(Date.now() % 2 ** 31),
  // Tests decide what queues and mail do, and wait for no slow call. An overloaded object refuses by design. Lost
  // responses may show: the faults tests of each area cause them at every single call.
  services: { d1: ["rejected", "before"], "durable-object": ["before", "after"], r2: ["rejected", "before"] },
  onFault: ({ service, operation, effect }) => faults.push(`${service} ${operation} ${effect}`),
}

/** Wraps the bindings of the Worker under test, unless the rate is 0. */
export const withTestFaults = <Env extends object>(bindings: Env): Env =>
  FAULT_RATE > 0 ? withFaults(bindings, options) : bindings

/** Ends the faults of the running test, because it counts calls or makes some fail itself. */
export const pauseFaults = (): void => {
  isPaused = true
}

/** Starts the next test with faults; returns those of the last one, for the message if it failed. */
export function resumeFaults(): string[] {
  isPaused = false
  return faults.splice(0)
}

/** Attempts of work while calls fail at random. */
const MAX_ATTEMPTS = 4

/**
 * Repeats work while calls fail at random, as clients repeat a request that got 503, and queues a message that failed.
 * @param isUnavailable whether a result asks for a repetition
 */
export async function despiteFaults<Result>(
  work: () => Promise<Result>,
  isUnavailable: (result: Result) => boolean = () => false,
): Promise<Result> {
  if (!FAULT_RATE || isPaused) return work()
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await work()
      if (attempt === MAX_ATTEMPTS || !isUnavailable(result)) return result
    } catch (cause) {
      if (attempt === MAX_ATTEMPTS || !isTransient(cause)) throw cause
    }
  }
}
