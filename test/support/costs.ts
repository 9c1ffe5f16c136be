// Counts the costs of a request: D1 round trips, rows read and written, Durable Object calls.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"
import { interceptRoundTrips } from "./round-trips"

export interface Costs {
  /** Round trips to both databases; a batch is one. */
  roundTrips: number
  /** Rows as D1 reports and bills them. */
  rowsRead: number
  rowsWritten: number
  objectCalls: number
}

/** Counts the calls of `work` to D1 and Durable Objects. */
export async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const costs: Costs = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, objectCalls: 0 }
  const roundTripSpy = interceptRoundTrips(async (send) => {
    costs.roundTrips += 1
    const result = await send()
    for (const { meta } of [result].flat()) {
      costs.rowsRead += meta?.rows_read ?? 0
      costs.rowsWritten += meta?.rows_written ?? 0
    }
    return result
  })
  const spies: MockInstance[] = [roundTripSpy]
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
