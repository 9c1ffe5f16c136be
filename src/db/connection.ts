// Runs statements on a D1 database behind a read-only handle. Only src/db imports this: `client.ts` offers reads, and
// `execute.ts` writes.
import type { SQL, Subquery } from "drizzle-orm"
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1"
import type { GetSelectTableName, GetSelectTableSelection } from "drizzle-orm/query-builders/select.types"
import type { RunnableQuery } from "drizzle-orm/runnable-query"
import type { CreateSQLiteSelectFromBuilderMode, SelectedFields } from "drizzle-orm/sqlite-core"
import type { PreparedRead, PreparedWrite } from "./prepared"
import { type Client, runRead, withReadRetry } from "./read-retry"
import type { CentralTable } from "./schema/site-table"
import { limitSelects, type Scope } from "./site-scope"
import type { Write } from "./write"

/** A read-only database handle. */
export interface CentralDatabase {
  select(): SelectFrom<undefined>
  select<Fields extends SelectedFields>(fields: Fields): SelectFrom<Fields>
  selectDistinct(): SelectFrom<undefined>
  selectDistinct<Fields extends SelectedFields>(fields: Fields): SelectFrom<Fields>
}

/** A select of the central database. It takes no table of a site database. */
interface SelectFrom<Fields extends SelectedFields | undefined> {
  from<Source extends CentralTable | Subquery | SQL>(
    source: Source,
  ): CreateSQLiteSelectFromBuilderMode<
    "db",
    GetSelectTableName<Source>,
    "async",
    D1Result,
    Fields extends undefined ? GetSelectTableSelection<Source> : Fields,
    Fields extends undefined ? "single" : "partial"
  >
}

declare const SITE: unique symbol

/** A read-only handle of a site database. Its selects are limited to the rows of a site, or of a named exception. */
export type SiteDatabase = Pick<DrizzleD1Database, "select" | "selectDistinct"> & { readonly [SITE]: true }

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

const clients = new WeakMap<object, Client>()

/** Creates a handle. Drizzle is created lazily, because most requests use prepared statements only. */
export function connect(client: Client): CentralDatabase
export function connect(client: Client, scope: Scope): SiteDatabase
export function connect(client: Client, scope?: Scope): CentralDatabase | SiteDatabase {
  let database: Pick<DrizzleD1Database, "select" | "selectDistinct"> | undefined
  const composing = () => {
    database ??= scope ? limitSelects(drizzle(withReadRetry(client)), scope) : drizzle(withReadRetry(client))
    return database
  }
  const reader = {
    select: (...fields: [SelectedFields]) => composing().select(...fields),
    selectDistinct: (...fields: [SelectedFields]) => composing().selectDistinct(...fields),
  } as unknown as CentralDatabase
  clients.set(reader, client)
  return reader
}

export function clientOf(database: CentralDatabase | SiteDatabase): Client {
  const client = clients.get(database)
  if (!client) throw new Error("This handle was not created by db/connection.ts")
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

/** Whether a statement only reads. */
export const isRead = (statement: Statement): statement is Read => /^\(?select\b/i.test(runnable(statement).sql)

/** Runs reads as one transaction in one round trip; returns their results in order. */
export const runReads = <const Reads extends readonly Read[]>(
  db: CentralDatabase | SiteDatabase,
  reads: Reads,
): Promise<Results<Reads>> => runRead(clientOf(db), (client) => run(client, reads))

/**
 * Runs statements as one transaction in one round trip.
 * @returns their results in order
 */
export async function run<const Statements extends readonly Statement[]>(
  client: Client,
  statements: Statements,
): Promise<Results<Statements>> {
  if (!statements.length) return [] as unknown as Results<Statements>
  const runnables = statements.map(runnable)
  const results = await client.batch<Record<string, unknown>>(
    runnables.map(({ sql, params }) => client.prepare(sql).bind(...params)),
  )
  return runnables.map(({ readResult }, index) =>
    readResult(results[index] as D1Result<Record<string, unknown>>),
  ) as Results<Statements>
}
