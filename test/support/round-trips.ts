// Intercepts every round trip to both databases, in statements, batches and sessions, to count them or to make one
// fail. Waits for round trips.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"
import { pauseFaults } from "./test-faults"

/** D1's result of a round trip: one result, or one per statement of a batch. */
export type RoundTripResult = { meta?: D1Meta } | { meta?: D1Meta }[]

/** The runtime's internal class through which every statement and batch is sent. */
interface Sender {
  _send(...args: unknown[]): Promise<RoundTripResult>
}

/** Returns the prototype with `_send`, which is not a public API. Throws when a runtime release moves it. */
function getSenderPrototype(): Sender {
  let prototype = Object.getPrototypeOf((env.DB.prepare("select 1") as unknown as { dbSession: object }).dbSession)
  while (!Object.hasOwn(prototype, "_send")) prototype = Object.getPrototypeOf(prototype)
  return prototype
}

/**
 * Intercepts every round trip until the spy is restored.
 * @param intercept called with a function that makes the round trip, and the SQL of its statements
 */
export function interceptRoundTrips(
  intercept: (send: () => Promise<RoundTripResult>, statements: string[]) => Promise<RoundTripResult>,
): MockInstance {
  pauseFaults()
  const sender = getSenderPrototype()
  const send = sender._send
  return vi.spyOn(sender, "_send").mockImplementation(function (this: Sender, ...args) {
    return intercept(() => send.apply(this, args), [args[1] as string | string[]].flat())
  }) as unknown as MockInstance
}

/**
 * Runs `between` before the first round trip of `work` with a matching statement: after `work` has read what it decides
 * on, and before it writes.
 * @returns the result of `work`; fails when no statement matched
 */
export async function runBeforeWrite<Result>(
  statement: RegExp,
  between: () => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  let hasRun = false
  const spy = interceptRoundTrips(async (send, statements) => {
    if (!hasRun && statements.some((sql) => statement.test(sql))) {
      hasRun = true
      await between()
    }
    return send()
  })
  const result = await work().finally(() => spy.mockRestore())
  if (!hasRun) throw new Error(`No statement matched ${statement}`)
  return result
}

/** Captures the SQL statements of each round trip of `work`. */
export async function captureStatements(work: () => Promise<unknown>): Promise<string[][]> {
  const roundTrips: string[][] = []
  const spy = interceptRoundTrips((send, statements) => {
    roundTrips.push(statements)
    return send()
  })
  await work().finally(() => spy.mockRestore())
  return roundTrips
}

/** The Worker makes fewer round trips before it reads a body, or between two requests to a receiver. */
const ROUND_TRIPS = 16

/**
 * Waits for round trips to both databases. A database runs statements in order, so whatever the Worker does in parallel
 * has got as far by then.
 */
export async function letWorkerProceed(roundTrips = ROUND_TRIPS): Promise<void> {
  for (let trip = 0; trip < roundTrips; trip++) {
    await Promise.all([env.DB, env.SITES_1].map((database) => database.prepare("select 1").run()))
  }
}
