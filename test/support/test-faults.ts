// Gives each invocation six connections, and makes calls of the Worker under test fail: `FAULT_RATE=0.01 npm run test`. Every run prints its seed, which
// FAULT_SEED repeats; a failed test prints the injected faults.
import { env } from "cloudflare:workers"
import { isTransient } from "../../src/db/errors"
import { withFaults } from "../../tools/faults/bindings"
import { withConnection } from "../../tools/faults/connections"
import type { FaultOptions } from "../../tools/faults/faults"
import { seededRandom } from "../../tools/lib/random"
import { getCallSite } from "./call-site"

/** The share of calls that fail, from 0 to 1. */
const FAULT_RATE = Number(env.FAULT_RATE || 0)

const faults: string[] = []

/** Whether a frame tells one call from another. All calls pass through these modules. */
const isDecisive = (location: string): boolean => !/^src\/(db|d1|sqlite-core|lib)\//.test(location)

let isPaused = false

let random = seededRandom(0)

const options: FaultOptions = {
  get rate() {
    return isPaused ? 0 : FAULT_RATE
  },
  random: () => random(),
  // Tests decide what queues and mail do, and wait for no slow call. An overloaded object refuses by design.
  services: {
    d1: ["rejected", "before", "after"],
    "durable-object": ["before", "after"],
    r2: ["rejected", "before"],
  },
  // Tests read what they wrote.
  areReplicasCurrent: true,
  // Local queries end, and each timer costs the test runner a stack trace.
  areQueriesUntimed: true,
  connect: withConnection,
  onFault: ({ service, operation, effect }) =>
    faults.push(`${service} ${operation} ${effect} at ${getCallSite(isDecisive)}`),
}

/**
 * Wraps the bindings of the Worker under test: their calls share the connections of their invocation, and fail at the
 * rate. Rate limits are exact: a limiter that cannot be reached lets every request pass, and its own tests make each of
 * its calls fail.
 */
export const withTestFaults = <Env extends { RATE_LIMIT: unknown }>(bindings: Env): Env => ({
  ...withFaults(bindings, options),
  RATE_LIMIT: bindings.RATE_LIMIT,
})

/** Ends the faults of the running test, because it counts calls or makes some fail itself. */
export const pauseFaults = (): void => {
  isPaused = true
}

/**
 * Runs work without faults: it prepares a certain state, or its result tells how much it did, and a repetition would
 * find less to do.
 */
export async function withoutFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  const wasPaused = isPaused
  isPaused = true
  return work().finally(() => {
    isPaused = wasPaused
  })
}

/**
 * Starts the faults of a test, which depend on its name and the seed only.
 * @param name of the file and the test
 */
export function startFaults(name: string): void {
  isPaused = false
  faults.length = 0
  random = seededRandom(hash(`${env.FAULT_SEED} ${name}`))
}

/** The faults that the running test has got. */
export const injectedFaults = (): readonly string[] => faults

/** Returns a number of 32 bits that depends on a text (FNV-1a). */
const hash = (text: string): number =>
  [...text].reduce((sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193), 0x811c9dc5)

/** Attempts of work while calls fail at random. */
const MAX_ATTEMPTS = 4

/**
 * Repeats work while calls fail at random, as clients repeat a request that got 503, and queues a message that failed.
 * @param isUnavailable whether a result asks for a repetition
 */
export async function despiteFaults<Result>(
  work: () => Promise<Result>,
  isUnavailable: (result: Result) => boolean | Promise<boolean> = () => false,
): Promise<Result> {
  if (!FAULT_RATE || isPaused) return work()
  for (let attempt = 1; ; attempt++) {
    const before = faults.length
    try {
      const result = await work()
      const isFinal = attempt === MAX_ATTEMPTS || faults.length === before
      if (isFinal || !(await isUnavailable(result))) return result
    } catch (cause) {
      if (attempt === MAX_ATTEMPTS || faults.length === before || !isTransient(cause)) throw cause
    }
  }
}
