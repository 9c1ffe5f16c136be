// Counts what a request costs: D1 round trips, rows read where D1 tells, Durable Object calls.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"

export interface Costs {
  roundTrips: number
  /** Rows read by batches; single statements do not tell. */
  rowsRead: number
  objectCalls: number
}

/** Counts everything that `work` asks of D1 and of Durable Objects. */
export async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const costs: Costs = { roundTrips: 0, rowsRead: 0, objectCalls: 0 }
  const spies = [env.DB, env.SITES_1].flatMap((database) => {
    const withSession = database.withSession.bind(database)
    const onSession = vi.spyOn(database, "withSession").mockImplementation((constraint) => {
      const session = withSession(constraint)
      spies.push(...watch(session, costs))
      return session
    })
    return [onSession, ...watch(database, costs)] as MockInstance[]
  })
  for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
    const get = namespace.get.bind(namespace)
    spies.push(
      vi.spyOn(namespace, "get").mockImplementation((...args) => {
        costs.objectCalls += 1
        return get(...args)
      }) as never,
    )
  }
  await work()
  for (const spy of spies) spy.mockRestore()
  return costs
}

/** Counts what is asked of a database, or of a session of one. */
function watch(database: Pick<D1Database, "batch" | "prepare">, costs: Costs): MockInstance[] {
  const batch = database.batch.bind(database)
  const onBatch = vi.spyOn(database, "batch").mockImplementation(async (statements) => {
    costs.roundTrips += 1
    const results = await batch(statements)
    for (const { meta } of results) costs.rowsRead += meta.rows_read ?? 0
    // biome-ignore lint/suspicious/noExplicitAny: the results are handed on as they are
    return results as any
  })
  const prepare = database.prepare.bind(database)
  const onPrepare = vi.spyOn(database, "prepare").mockImplementation((sql) => counted(prepare(sql), costs))
  return [onBatch, onPrepare] as MockInstance[]
}

/** Counts a statement that is run by itself; one that goes into a batch is not run and so not counted. */
function counted(statement: D1PreparedStatement, costs: Costs): D1PreparedStatement {
  const bind = statement.bind.bind(statement)
  statement.bind = (...values) => counted(bind(...values), costs)
  for (const name of ["all", "raw", "run", "first"] as const) {
    const original = statement[name].bind(statement) as (...args: unknown[]) => unknown
    Object.assign(statement, {
      [name]: (...args: unknown[]) => {
        costs.roundTrips += 1
        return original(...args)
      },
    })
  }
  return statement
}
