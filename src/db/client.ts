// Connects to D1: one central database and the site databases that SITE_DATABASES names. The handles can only read;
// writes are values (`db/write.ts`) that only `core/write` passes to `execute`.
import type { SQL, Subquery } from "drizzle-orm"
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1"
import type { GetSelectTableName, GetSelectTableSelection } from "drizzle-orm/query-builders/select.types"
import type { RunnableQuery } from "drizzle-orm/runnable-query"
import type { CreateSQLiteSelectFromBuilderMode, SelectedFields } from "drizzle-orm/sqlite-core"
import { binding, bindingNamedBy } from "../bindings"
import type { Bindings } from "../env"
import type { PreparedRead, PreparedWrite } from "./prepared"
import type { CentralTable } from "./schema/site-table"
import { type AcrossSites, inSite, limitSelects, type Scope } from "./site-scope"
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

/** Runs batches: a database binding or a session of one. */
type Client = Pick<D1Database, "prepare" | "batch">

const clients = new WeakMap<object, Client>()
const centralDatabases = new WeakMap<D1Database, CentralDatabase>()

/** Creates a handle. Drizzle is created lazily, because most requests use prepared statements only. */
function connect(client: Client): CentralDatabase
function connect(client: Client, scope: Scope): SiteDatabase
function connect(client: Client, scope?: Scope): CentralDatabase | SiteDatabase {
  let database: Pick<DrizzleD1Database, "select" | "selectDistinct"> | undefined
  const composing = () => {
    database ??= scope ? limitSelects(drizzle(client as D1Database), scope) : drizzle(client as D1Database)
    return database
  }
  const reader = {
    select: (...fields: [SelectedFields]) => composing().select(...fields),
    selectDistinct: (...fields: [SelectedFields]) => composing().selectDistinct(...fields),
  } as unknown as CentralDatabase
  clients.set(reader, client)
  return reader
}

function clientOf(database: CentralDatabase | SiteDatabase): Client {
  const client = clients.get(database)
  if (!client) throw new Error("This is no database of ours")
  return client
}

/** Returns the central database; the same handle for the same binding. */
export function centralDatabase(env: Bindings): CentralDatabase {
  const client = binding(env, "DB")
  const known = centralDatabases.get(client)
  if (known) return known
  const database = connect(client)
  centralDatabases.set(client, database)
  return database
}

/** Creates a handle to the central database for a single request, so that `deferWritesUntil` can delay its writes. */
export const requestCentralDatabase = (env: Bindings): CentralDatabase => connect(binding(env, "DB"))

/**
 * Returns a site database by the name of its binding.
 * @param binding one of SITE_DATABASES, as stored in `stores.database`
 * @param scope the site, by id; or the exception under which all sites are read
 * @throws Error when there is no such binding
 */
export const siteDatabase = (env: Bindings, binding: string, scope: string | AcrossSites): SiteDatabase =>
  connect(siteBinding(env, binding), typeof scope === "string" ? inSite(scope) : scope)

/** Options for reading from a replica. */
export interface ReplicaReader {
  /** The site whose rows are read, and whose version `onVersionRead` receives. */
  siteId: string
  /** Called with the version of the site's content at which a batch was read. */
  onVersionRead?: ((version: number) => void) | undefined
  /** A D1 bookmark that the client has seen; reads are at least as recent. */
  bookmark?: string | undefined
}

const SELECT_VERSION = `select coalesce((select total from counters where site_id = ? and list = 'version' and filter = ''), 0) as version`

function replicaClient(env: Bindings, binding: string, { siteId, onVersionRead, bookmark }: ReplicaReader): Client {
  const database = siteBinding(env, binding)
  const session = database.withSession(bookmark ?? "first-unconstrained")
  const run = async <Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]> => {
    try {
      return await session.batch<Row>(statements)
    } catch (cause) {
      // The bookmark comes from the client. If it is invalid, read from the primary without one.
      if (!bookmark) throw cause
      return database.batch<Row>(statements)
    }
  }
  return {
    prepare: (query) => session.prepare(query),
    async batch<Row>(statements: D1PreparedStatement[]) {
      if (!onVersionRead) return run<Row>(statements)
      const results = await run<Row>([...statements, session.prepare(SELECT_VERSION).bind(siteId)])
      onVersionRead((results.pop() as D1Result<{ version: number }> | undefined)?.results[0]?.version ?? 0)
      return results
    },
  }
}

/**
 * Returns a site database for public reads from D1's nearest replica, which may lag behind (Sessions API). Only `batch`
 * reports the version.
 * @param binding as for `siteDatabase`
 * @throws Error when there is no such binding
 */
export const nearestReplica = (env: Bindings, binding: string, reader: ReplicaReader): SiteDatabase =>
  connect(replicaClient(env, binding, reader), inSite(reader.siteId))

/** Reads the version of a site's content from the nearest replica. */
export async function siteVersion(env: Bindings, binding: string, siteId: string): Promise<number> {
  const session = siteBinding(env, binding).withSession("first-unconstrained")
  return (await session.prepare(SELECT_VERSION).bind(siteId).first<number>("version")) ?? 0
}

/** Returns the central database's nearest replica. */
export const nearestCentralReplica = (env: Bindings): CentralDatabase =>
  connect(binding(env, "DB").withSession("first-unconstrained"))

/**
 * Returns a site database that reports the D1 bookmark after its latest statement, so that a client can read its own
 * writes.
 * @param binding as for `siteDatabase`
 * @returns the database, and a function that returns the bookmark, or null before the first statement
 */
export function bookmarkedSiteDatabase(
  env: Bindings,
  binding: string,
  siteId: string,
): { db: SiteDatabase; bookmark: () => string | null } {
  const session = siteBinding(env, binding).withSession("first-primary")
  return { db: connect(session, inSite(siteId)), bookmark: () => session.getBookmark() }
}

function siteBinding(env: Bindings, name: string): D1Database {
  const database = bindingNamedBy(env, name) as D1Database | undefined
  if (!database) throw new Error(`There is no site database ${name}`)
  return database
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

/** Promises that must resolve before a database is written. */
const writeConditions = new WeakMap<CentralDatabase | SiteDatabase, Promise<unknown>>()

/**
 * Delays every write through a handle until a promise resolves, such as the request's rate-limit check. Reads do not
 * wait. If the promise rejects, every write fails with its error.
 * @param db a handle of a single request, from `bookmarkedSiteDatabase` or `requestCentralDatabase`
 */
export function deferWritesUntil(db: CentralDatabase | SiteDatabase, condition: Promise<unknown>): void {
  // The caller awaits the condition itself: avoid an unhandled rejection here.
  condition.catch(() => undefined)
  writeConditions.set(db, condition)
}

/**
 * Resolves once the handle may write; for the part of a write that goes elsewhere, such as R2.
 * @throws the error of the promise given to `deferWritesUntil`
 */
export async function writesAllowed(db: CentralDatabase | SiteDatabase): Promise<void> {
  await writeConditions.get(db)
}

/**
 * Runs reads and writes as one transaction in one round trip. Only `core/write` may call it.
 * @returns the results, in order
 */
export async function execute<const Statements extends readonly Statement[]>(
  db: CentralDatabase | SiteDatabase,
  statements: Statements,
): Promise<Results<Statements>> {
  await writesAllowed(db)
  return run(db, statements)
}

async function run<const Statements extends readonly Statement[]>(
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

/** Runs a single prepared read. */
export async function read<Row>(
  db: CentralDatabase | SiteDatabase,
  { sql, params, rows }: PreparedRead<Row>,
): Promise<Row[]> {
  return rows(
    await clientOf(db)
      .prepare(sql)
      .bind(...params)
      .raw(),
  )
}

/** Runs reads as one transaction in one round trip; returns their results in order. */
export const batch = <const Reads extends readonly Read[]>(
  db: CentralDatabase | SiteDatabase,
  reads: Reads,
): Promise<Results<Reads>> => run(db, reads)
