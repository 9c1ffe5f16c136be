// Runs statements on a D1 database behind a read-only handle. Only src/db imports this: `client.ts` offers reads, and
// `execute.ts` writes.
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1"
import type { RunnableQuery } from "drizzle-orm/runnable-query"
import type { PreparedRead, PreparedWrite } from "./prepared"
import type { Write } from "./write"

/** A read-only database handle. */
export type CentralDatabase = Pick<DrizzleD1Database, "select" | "selectDistinct">
export type SiteDatabase = CentralDatabase

/** A select that Drizzle builds for every request. */
type DrizzleSelect<Rows> = RunnableQuery<Rows, "sqlite">

/** A read that can be part of a batch. */
export type Read<Rows extends readonly unknown[] = unknown[]> = DrizzleSelect<Rows> | PreparedRead<Rows[number]>

/** A read or write that can be part of a batch. */
export type Statement = Read | Write

/** The results of a batch, one per statement, in order. */
export type Results<Statements extends readonly Statement[]> = {
  -readonly [K in keyof Statements]: ResultOf<Statements[K]>
}

type ResultOf<Any> =
  Any extends Write<infer Result>
    ? Result
    : Any extends PreparedRead<infer Row>
      ? Row[]
      : Any extends DrizzleSelect<infer Rows>
        ? Rows
        : never

/** Runs batches: a database binding or a session of one. */
export type Client = Pick<D1Database, "prepare" | "batch">

const clients = new WeakMap<object, Client>()

/** Creates a handle. Drizzle is created lazily, because most requests use prepared statements only. */
export function connect(client: Client): CentralDatabase {
  let database: DrizzleD1Database | undefined
  const composing = () => {
    database ??= drizzle(client as D1Database)
    return database
  }
  const reader = {
    select: (...fields: Parameters<CentralDatabase["select"]>) => composing().select(...fields),
    selectDistinct: (...fields: Parameters<CentralDatabase["selectDistinct"]>) => composing().selectDistinct(...fields),
  } as CentralDatabase
  clients.set(reader, client)
  return reader
}

export function clientOf(database: CentralDatabase | SiteDatabase): Client {
  const client = clients.get(database)
  if (!client) throw new Error("This is no database of ours")
  return client
}

/** Drizzle's prepared query: SQL, parameters and the mapping of rows to results. */
interface DrizzlePreparedQuery {
  getQuery(): { sql: string; params: unknown[] }
  mapResult(result: unknown, isFromBatch: boolean): unknown
}

/** A statement in the form that D1 takes, and the function that reads its result. */
interface Runnable {
  sql: string
  params: readonly unknown[]
  readResult(result: D1Result<Record<string, unknown>>): unknown
}

const isPrepared = (statement: object): statement is PreparedRead | PreparedWrite => "rows" in statement

/** A row's values in column order. D1 keeps only one of two columns with the same name. */
const valuesOf = (row: Record<string, unknown>): unknown[] => Object.values(row)

function runnable(statement: Statement): Runnable {
  if (isPrepared(statement)) {
    const { sql, params, rows } = statement
    return { sql, params, readResult: (result) => (rows ? rows(result.results.map(valuesOf)) : result) }
  }
  const prepared = (statement as unknown as { _prepare(): DrizzlePreparedQuery })._prepare()
  return { ...prepared.getQuery(), readResult: (result) => prepared.mapResult(result, true) }
}

/** Runs statements as one transaction in one round trip; returns their results in order. */
export async function run<const Statements extends readonly Statement[]>(
  db: CentralDatabase | SiteDatabase,
  statements: Statements,
): Promise<Results<Statements>> {
  const client = clientOf(db)
  if (!statements.length) return [] as unknown as Results<Statements>
  const runnables = statements.map(runnable)
  const results = await client.batch<Record<string, unknown>>(
    runnables.map(({ sql, params }) => client.prepare(sql).bind(...params)),
  )
  return runnables.map(({ readResult }, index) =>
    readResult(results[index] as D1Result<Record<string, unknown>>),
  ) as Results<Statements>
}
