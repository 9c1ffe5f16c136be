// Every trip to a database, of both of them, in sessions and outside, for statements alone and in batches: for tests to count them, or
// to let one of them fail.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"

/** What D1 answers to a trip: one result, or one for each statement of a batch. */
export type TripAnswer = { meta?: D1Meta } | { meta?: D1Meta }[]

/** What every statement and every batch goes through, on a database as on a session of one. */
interface Sender {
  _send(...args: unknown[]): Promise<TripAnswer>
}

/** The class of the runtime whose method that is. It is no part of the API: where a release moves it, this throws. */
function senders(): Sender {
  let prototype = Object.getPrototypeOf((env.DB.prepare("select 1") as unknown as { dbSession: object }).dbSession)
  while (!Object.hasOwn(prototype, "_send")) prototype = Object.getPrototypeOf(prototype)
  return prototype
}

/**
 * Stands around every trip until it is restored.
 * @param around given what makes the trip, and the texts of its statements
 */
export function aroundTrips(
  around: (send: () => Promise<TripAnswer>, statements: string[]) => Promise<TripAnswer>,
): MockInstance {
  const sender = senders()
  const send = sender._send
  return vi.spyOn(sender, "_send").mockImplementation(function (this: Sender, ...args) {
    return around(() => send.apply(this, args), [args[1] as string | string[]].flat())
  }) as unknown as MockInstance
}

/** The texts of the statements of each trip that `work` makes. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[][]> {
  const trips: string[][] = []
  const spy = aroundTrips((send, statements) => {
    trips.push(statements)
    return send()
  })
  await work().finally(() => spy.mockRestore())
  return trips
}
