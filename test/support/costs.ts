// Counts what a request costs: D1 round trips, rows read where D1 tells, Durable Object calls.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"

export interface Costs {
  roundTrips: number
  /** Rows read by batches; single statements do not tell. */
  rowsRead: number
  objectCalls: number
}

/** What runs a statement: methods of the class behind every statement, whoever prepared it and when. */
const RUNNERS = ["all", "raw", "run", "first"] as const

/** Counts everything that `work` asks of D1 and of Durable Objects. */
export async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const costs: Costs = { roundTrips: 0, rowsRead: 0, objectCalls: 0 }
  const statements = Object.getPrototypeOf(env.DB.prepare("select 1")) as D1PreparedStatement
  const spies: MockInstance[] = RUNNERS.map((name) => {
    const original = statements[name] as (...args: unknown[]) => unknown
    return vi.spyOn(statements, name).mockImplementation(function (this: D1PreparedStatement, ...args: unknown[]) {
      costs.roundTrips += 1
      return original.apply(this, args) as never
    } as never) as unknown as MockInstance
  })
  for (const database of [env.DB, env.SITES_1]) {
    const withSession = database.withSession.bind(database)
    const onSession = vi.spyOn(database, "withSession").mockImplementation((constraint) => {
      const session = withSession(constraint)
      spies.push(watchBatches(session, costs))
      return session
    })
    spies.push(onSession as unknown as MockInstance, watchBatches(database, costs))
  }
  for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
    const get = namespace.get.bind(namespace)
    const onGet = vi.spyOn(namespace, "get").mockImplementation((...args) => {
      costs.objectCalls += 1
      return get(...args)
    })
    spies.push(onGet as unknown as MockInstance)
  }
  await work()
  for (const spy of spies) spy.mockRestore()
  return costs
}

/** Counts the batches of a database, or of a session of one, and the rows they read. */
function watchBatches(database: Pick<D1Database, "batch">, costs: Costs): MockInstance {
  const batch = database.batch.bind(database)
  return vi.spyOn(database, "batch").mockImplementation(async (statements) => {
    costs.roundTrips += 1
    const results = await batch(statements)
    for (const { meta } of results) costs.rowsRead += meta.rows_read ?? 0
    // biome-ignore lint/suspicious/noExplicitAny: the results are handed on as they are
    return results as any
  }) as unknown as MockInstance
}
