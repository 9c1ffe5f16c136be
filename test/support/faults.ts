// Faults to order: a database that fails before or after it has done what it was asked, and chance that repeats itself.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"
import { aroundTrips } from "./round-trips"

/** `before`: nothing was done. `after`: it was done, and the answer was lost. */
export type Fault = "before" | "after" | null

/**
 * Lets the central database's batches fail.
 * @param decide asked before each batch; `statements` is how many it has
 */
export function failBatches(decide: (statements: number) => Fault) {
  const prototype = Object.getPrototypeOf(env.DB) as D1Database
  const batch = prototype.batch
  return vi.spyOn(prototype, "batch").mockImplementation(async function (this: D1Database, statements) {
    const fault = decide(statements.length)
    if (fault === "before") throw new Error("D1_ERROR: network connection lost")
    const results = await batch.call(this, statements)
    if (fault === "after") throw new Error("D1_ERROR: network connection lost")
    // biome-ignore lint/suspicious/noExplicitAny: the results are handed on as they are
    return results as any
  })
}

/**
 * Lets trips to the databases fail, whichever of them it is and however it is asked.
 * @param decide asked before each trip
 * @param text of the error
 */
export const failTrips = (decide: () => Fault, text = "D1_ERROR: network connection lost"): MockInstance =>
  aroundTrips(async (send) => {
    const fault = decide()
    if (fault === "before") throw new Error(text)
    const answer = await send()
    if (fault === "after") throw new Error(text)
    return answer
  })

/**
 * Lets a batch of a site database fail that a request of the content API writes by.
 * @param nth which of the next request's batches
 */
export function failNextSiteWrite(nth = 1) {
  const withSession = env.SITES_1.withSession.bind(env.SITES_1)
  return vi.spyOn(env.SITES_1, "withSession").mockImplementationOnce((constraint) => {
    const session = withSession(constraint)
    const batch = session.batch.bind(session)
    let batches = 0
    vi.spyOn(session, "batch").mockImplementation(async (statements) => {
      if (++batches === nth) throw new Error("D1_ERROR: network connection lost")
      // biome-ignore lint/suspicious/noExplicitAny: the results are handed on as they are
      return (await batch(statements)) as any
    })
    return session
  })
}

/** Lets every question to a database fail, by whichever way it is asked. */
export function takeDown(...databases: D1Database[]) {
  const spies = databases.flatMap((database) => {
    const down = (): never => {
      throw new Error("D1_ERROR: network connection lost")
    }
    const prepare = vi.spyOn(database, "prepare").mockImplementation(down)
    const session = vi
      .spyOn(database, "withSession")
      .mockImplementation(() => ({ prepare: down, batch: async () => down(), getBookmark: () => null }) as never)
    return [prepare, session, vi.spyOn(database, "batch").mockImplementation(async () => down())]
  })
  return { bringBack: () => spies.forEach((spy) => void spy.mockRestore()) }
}

/** Numbers from 0 to 1 that look random and are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
