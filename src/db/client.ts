// The databases as the rest of the code sees them: one central, and as many site databases as SITE_DATABASES names. They read;
// what writes is a value (`db/write.ts`), and `core/` alone hands those to `execute`.
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1"
import type { RunnableQuery } from "drizzle-orm/runnable-query"
import { bindingOf, type Env } from "../env"
import type { CompiledRead, CompiledWrite } from "./prepared"
import type { Write } from "./write"

/** What reads. There is nothing on it that writes. */
export type CentralDatabase = Pick<DrizzleD1Database, "select" | "selectDistinct">
export type SiteDatabase = CentralDatabase

/** A select that Drizzle composes for the request. */
type Composed<Rows> = RunnableQuery<Rows, "sqlite">

/** A select that can stand in a batch. */
export type Read<Rows extends readonly unknown[] = unknown[]> = Composed<Rows> | CompiledRead<Rows[number]>

/** A statement that can stand in a batch. */
export type Statement = Read | Write

/** What each statement of a batch answers, in its place. */
export type Answers<Statements extends readonly Statement[]> = {
  -readonly [K in keyof Statements]: AnswerOf<Statements[K]>
}

type AnswerOf<Any> =
  Any extends Write<infer Answer>
    ? Answer
    : Any extends CompiledRead<infer Row>
      ? Row[]
      : Any extends Composed<infer Rows>
        ? Rows
        : never

/** What can run a batch: a database, or a session of one. */
type Client = Pick<D1Database, "prepare" | "batch">

const clients = new WeakMap<object, Client>()
const central = new WeakMap<D1Database, CentralDatabase>()

/** A database is often there for a single request that makes compiled reads, so Drizzle comes when it is asked for. */
function connect(client: Client): CentralDatabase {
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

function clientOf(database: CentralDatabase | SiteDatabase): Client {
  const client = clients.get(database)
  if (!client) throw new Error("This is no database of ours")
  return client
}

/** The central database; the same object for the same binding. */
export function centralDatabase(env: Env): CentralDatabase {
  const known = central.get(env.DB)
  if (known) return known
  const database = connect(env.DB)
  central.set(env.DB, database)
  return database
}

/** The central database for one request alone, whose writes may be made to wait by `writeOnlyAfter`. */
export const ownCentralDatabase = (env: Env): CentralDatabase => connect(env.DB)

/**
 * A site database by the name of its binding.
 * @param binding one of SITE_DATABASES, as `stores.database` holds it
 * @throws Error when there is no such binding
 */
export const siteDatabase = (env: Env, binding: string): SiteDatabase => connect(siteBinding(env, binding))

/** What a reader wants of a replica, and is told by it. */
export interface ReplicaReader {
  /** Whose version `seen` is told. */
  siteId?: string
  /** Told the version of the site's content that each batch was read at. */
  seen?: ((version: number) => void) | undefined
  /** A state of the database that the reader has seen; what is read is no older. */
  bookmark?: string | undefined
}

const VERSION = `select coalesce((select total from counters where site_id = ? and list = 'version' and filter = ''), 0) as version`

function replicaOf(env: Env, binding: string, { siteId, seen, bookmark }: ReplicaReader): Client {
  const database = siteBinding(env, binding)
  const session = database.withSession(bookmark ?? "first-unconstrained")
  const run = async <Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]> => {
    try {
      return await session.batch<Row>(statements)
    } catch (cause) {
      // A bookmark comes from outside; of one that no database ever gave, the primary makes nothing.
      if (!bookmark) throw cause
      return database.batch<Row>(statements)
    }
  }
  return {
    prepare: (query) => session.prepare(query),
    async batch<Row>(statements: D1PreparedStatement[]) {
      if (!seen) return run<Row>(statements)
      const results = await run<Row>([...statements, session.prepare(VERSION).bind(siteId ?? null)])
      seen((results.pop() as D1Result<{ version: number }> | undefined)?.results[0]?.version ?? 0)
      return results
    },
  }
}

/**
 * A site database for public reads, which may lag a moment behind: D1's replica nearest to the caller answers (Sessions API). Only a
 * `batch` tells its version.
 * @param binding as for `siteDatabase`
 * @throws Error when there is no such binding
 */
export const nearestReplica = (env: Env, binding: string, reader: ReplicaReader = {}): SiteDatabase =>
  connect(replicaOf(env, binding, reader))

/** The version of a site's content as the nearest replica knows it. */
export async function siteVersion(env: Env, binding: string, siteId: string): Promise<number> {
  const session = siteBinding(env, binding).withSession("first-unconstrained")
  return (await session.prepare(VERSION).bind(siteId).first<number>("version")) ?? 0
}

/** The central database's nearest replica. */
export const nearestCentralReplica = (env: Env): CentralDatabase => connect(env.DB.withSession("first-unconstrained"))

/**
 * A site database that tells which state of it a request has come to.
 * @param binding as for `siteDatabase`
 * @returns with it a function that answers the bookmark, or null while nothing was asked
 */
export function followed(env: Env, binding: string): { db: SiteDatabase; bookmark: () => string | null } {
  const session = siteBinding(env, binding).withSession("first-primary")
  return { db: connect(session), bookmark: () => session.getBookmark() }
}

function siteBinding(env: Env, binding: string): D1Database {
  const database = bindingOf(env, binding) as D1Database | undefined
  if (!database) throw new Error(`There is no site database ${binding}`)
  return database
}

/** What Drizzle makes of a statement: its text with its values, and what turns rows into its answer. */
interface Prepared {
  getQuery(): { sql: string; params: unknown[] }
  mapResult(result: unknown, isFromBatch: boolean): unknown
}

/** A statement as the database takes it, and how its answer is read. */
interface Runnable {
  sql: string
  params: readonly unknown[]
  answer(result: D1Result<Record<string, unknown>>): unknown
}

const isCompiled = (statement: object): statement is CompiledRead | CompiledWrite => "rows" in statement

/** A row's values in the order of the query's columns: of two with one name there is only one. */
const valuesOf = (row: Record<string, unknown>): unknown[] => Object.values(row)

function runnable(statement: Statement): Runnable {
  if (isCompiled(statement)) {
    const { sql, params, rows } = statement
    return { sql, params, answer: (result) => (rows ? rows(result.results.map(valuesOf)) : result) }
  }
  const prepared = (statement as unknown as { _prepare(): Prepared })._prepare()
  return { ...prepared.getQuery(), answer: (result) => prepared.mapResult(result, true) }
}

/** What has to come to a good end before a database is written. */
const conditions = new WeakMap<CentralDatabase | SiteDatabase, Promise<unknown>>()

/**
 * Lets nothing be written through a database before something has come to a good end, such as the count of the request. What is read
 * does not wait for it. Where it fails, each write fails with its cause.
 * @param db a request's own, such as `followed` and `ownCentralDatabase` make
 */
export function writeOnlyAfter(db: CentralDatabase | SiteDatabase, condition: Promise<unknown>): void {
  // Whether anything is written or not, who made the condition hears of it.
  condition.catch(() => undefined)
  conditions.set(db, condition)
}

/**
 * Resolves once a database may be written; for what a write of it stores elsewhere.
 * @throws what the condition of `writeOnlyAfter` did
 */
export async function mayBeWritten(db: CentralDatabase | SiteDatabase): Promise<void> {
  await conditions.get(db)
}

/**
 * Runs statements that write, for the writers of `core/`: in order as one transaction, all of them or none, in one round trip.
 * @returns each statement's answer, in order
 */
export async function execute<const Statements extends readonly Statement[]>(
  db: CentralDatabase | SiteDatabase,
  statements: Statements,
): Promise<Answers<Statements>> {
  await mayBeWritten(db)
  return run(db, statements)
}

async function run<const Statements extends readonly Statement[]>(
  db: CentralDatabase | SiteDatabase,
  statements: Statements,
): Promise<Answers<Statements>> {
  const client = clientOf(db)
  if (!statements.length) return [] as unknown as Answers<Statements>
  const runnables = statements.map(runnable)
  const results = await client.batch<Record<string, unknown>>(
    runnables.map(({ sql, params }) => client.prepare(sql).bind(...params)),
  )
  return runnables.map(({ answer }, index) =>
    answer(results[index] as D1Result<Record<string, unknown>>),
  ) as Answers<Statements>
}

/** The rows of one compiled read, where nothing is read beside it. */
export async function read<Row>(
  db: CentralDatabase | SiteDatabase,
  { sql, params, rows }: CompiledRead<Row>,
): Promise<Row[]> {
  return rows(
    await clientOf(db)
      .prepare(sql)
      .bind(...params)
      .raw(),
  )
}

/** Reads in one round trip, on one state of the database; each read's answer in its place. */
export const batch = <const Reads extends readonly Read[]>(
  db: CentralDatabase | SiteDatabase,
  reads: Reads,
): Promise<Answers<Reads>> => run(db, reads)
