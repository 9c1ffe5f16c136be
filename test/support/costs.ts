// Counts the costs of a request: D1 round trips, rows read and written, Durable Object calls. The router's costs are
// counted separately, because it runs after the response and shares its work among requests.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"
import { interceptRoundTrips } from "./round-trips"

interface DatabaseCosts {
  /** Round trips to both databases; a batch is one. */
  roundTrips: number
  /** Rows as D1 reports and bills them. */
  rowsRead: number
  rowsWritten: number
}

export interface Costs extends DatabaseCosts {
  objectCalls: number
  /** What the router costs, which creates the deliveries of the request's events. */
  routing: DatabaseCosts
}

/** Whether a round trip is the router's: it reads events behind its position, or endpoints, or inserts deliveries. */
export const isRouting = (statements: readonly string[]): boolean =>
  statements.some((sql) =>
    /left join "audit_entries".*'routed'|"created_at_seq" from "webhook_endpoints"|^insert into "webhook_deliveries".*json_each/s.test(
      sql,
    ),
  )

/** Counts the calls of `work` to D1 and Durable Objects. */
export async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const createCosts = (): DatabaseCosts => ({ roundTrips: 0, rowsRead: 0, rowsWritten: 0 })
  const costs: Costs = { ...createCosts(), objectCalls: 0, routing: createCosts() }
  const roundTripSpy = interceptRoundTrips(async (send, statements) => {
    const counted = isRouting(statements) ? costs.routing : costs
    counted.roundTrips += 1
    const result = await send()
    for (const { meta } of [result].flat()) {
      counted.rowsRead += meta?.rows_read ?? 0
      counted.rowsWritten += meta?.rows_written ?? 0
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
