// Counts what a request costs: D1 round trips, the rows they read and wrote, Durable Object calls.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"
import { aroundTrips } from "./round-trips"

export interface Costs {
  /** Of both databases, statements alone and in batches. */
  roundTrips: number
  /** As D1 reports and bills them. */
  rowsRead: number
  rowsWritten: number
  objectCalls: number
}

/** Counts everything that `work` asks of D1 and of Durable Objects. */
export async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const costs: Costs = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, objectCalls: 0 }
  const onTrip = aroundTrips(async (send) => {
    costs.roundTrips += 1
    const answer = await send()
    for (const { meta } of [answer].flat()) {
      costs.rowsRead += meta?.rows_read ?? 0
      costs.rowsWritten += meta?.rows_written ?? 0
    }
    return answer
  })
  const spies: MockInstance[] = [onTrip]
  for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
    const get = namespace.get.bind(namespace)
    const onGet = vi.spyOn(namespace, "get").mockImplementation((...args) => {
      costs.objectCalls += 1
      return get(...args)
    })
    spies.push(onGet as unknown as MockInstance)
  }
  try {
    await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return costs
}
