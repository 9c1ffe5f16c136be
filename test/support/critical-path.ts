// Measures a request's critical path: its sequential round trips to databases and Durable Objects. Parallel calls count
// once, and background work after the response does not count.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"
import worker from "../../src"
import type { TestResponse } from "./app"
import { interceptRoundTrips } from "./round-trips"

/**
 * Measures the longest chain of round trips, each started after the one before it completed, until the response.
 * @returns the response, the length of the chain, and the start of each call's SQL in the order of their start
 */
export async function measureCriticalPath(work: () => Promise<TestResponse>) {
  const calls: string[] = []
  let completed = 0
  let roundTrips = 0
  let hasResponded = false
  const track = async <Result>(label: string, send: () => Promise<Result>): Promise<Result> => {
    if (hasResponded) return send()
    const position = completed + 1
    calls.push(`${position} ${label.replace(/\s+/g, " ").slice(0, 100)}`)
    try {
      return await send()
    } finally {
      completed = Math.max(completed, position)
    }
  }
  const spies: MockInstance[] = [interceptRoundTrips((send, statements) => track(statements.join("; "), send))]
  for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
    const get = namespace.get.bind(namespace)
    const spy = vi.spyOn(namespace, "get").mockImplementation((...args) => {
      const stub = get(...args)
      const fetch: typeof stub.fetch = (...request) => track("a Durable Object", () => stub.fetch(...request))
      return { id: stub.id, name: stub.name, fetch } as unknown as typeof stub
    })
    spies.push(spy as unknown as MockInstance)
  }
  const fetchOriginal = worker.fetch
  const fetchSpy = vi.spyOn(worker, "fetch").mockImplementation(async (...args) => {
    const response = await fetchOriginal(...args)
    hasResponded = true
    // Later round trips did not delay the response.
    roundTrips = completed
    return response
  })
  spies.push(fetchSpy as unknown as MockInstance)
  try {
    const { status, text } = await work()
    return { status, text, roundTrips, calls }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
