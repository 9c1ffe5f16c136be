// The databases as the rest of the code sees them: one central, and as many site databases as SITE_DATABASES names. They read;
// what writes is a value (`db/write.ts`), and `core/` alone hands those to `execute`.
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1"
import type { RunnableQuery } from "drizzle-orm/runnable-query"
import { bindingOf, type Env } from "../env"
import type { Write } from "./write"

export type CentralDatabase = DrizzleD1Database
export type SiteDatabase = DrizzleD1Database

/** A select that can stand in a batch. */
export type Read<Rows = unknown> = RunnableQuery<Rows, "sqlite">

/** A statement that can stand in a batch. */
export type Statement<Answer = unknown> = Read<Answer> | Write<Answer>

/** What each statement of a batch answers, in its place. */
export type Answers<Statements extends readonly Statement[]> = {
  -readonly [K in keyof Statements]: AnswerOf<Statements[K]>
}

type AnswerOf<Any> = Any extends Write<infer Answer> ? Answer : Any extends Read<infer Rows> ? Rows : never

/** What can run a batch: a database, or a session of one. */
type Client = Pick<D1Database, "prepare" | "batch">

const clients = new WeakMap<object, Client>()
const central = new WeakMap<D1Database, CentralDatabase>()

const connect = (client: Client): DrizzleD1Database => {
  const database = drizzle(client as D1Database)
  clients.set(database, client)
  return database
}

/** The central database; the same object for the same binding, so that queries can be prepared on it once. */
export function centralDatabase(env: Env): CentralDatabase {
  const known = central.get(env.DB)
  if (known) return known
  const database = connect(env.DB)
  central.set(env.DB, database)
  return database
}

/**
 * A site database by the name of its binding.
 * @param binding one of SITE_DATABASES, as `stores.database` holds it
 * @throws Error when there is no such binding
 */
export const siteDatabase = (env: Env, binding: string): SiteDatabase => connect(siteBinding(env, binding))

/**
 * A site database for reads that may lag a moment behind: D1's replica nearest to the caller answers (Sessions API).
 * @param binding as for `siteDatabase`
 * @throws Error when there is no such binding
 */
export const nearestReplica = (env: Env, binding: string): SiteDatabase => unconstrained(siteBinding(env, binding))

/** The same for compiled reads (`readAll`), which need no Drizzle. */
export const replicaOf = (env: Env, binding: string): D1DatabaseSession =>
  siteBinding(env, binding).withSession("first-unconstrained")

/** The central database, likewise. */
export const nearestCentralReplica = (env: Env): CentralDatabase => unconstrained(env.DB)

const unconstrained = (database: D1Database) => connect(database.withSession("first-unconstrained"))

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

/**
 * Runs statements in order as one transaction: all of them or none, in one round trip. Reads come through `batch`; writes through
 * the writers of `core/`.
 * @returns each statement's answer, in order
 */
export async function execute<const Statements extends readonly Statement[]>(
  db: CentralDatabase | SiteDatabase,
  statements: Statements,
): Promise<Answers<Statements>> {
  const client = clients.get(db)
  if (!client) throw new Error("This is no database of ours")
  const prepared = statements.map((statement) => (statement as unknown as { _prepare(): Prepared })._prepare())
  if (!prepared.length) return [] as unknown as Answers<Statements>
  const results = await client.batch(
    prepared.map((query) => {
      const { sql, params } = query.getQuery()
      return client.prepare(sql).bind(...params)
    }),
  )
  return results.map((result, index) => prepared[index]?.mapResult(result, true)) as Answers<Statements>
}

/** Reads in one round trip, on one state of the database. */
export const batch = <const Reads extends readonly Statement[]>(
  db: CentralDatabase | SiteDatabase,
  reads: Reads,
): Promise<Answers<Reads>> => execute(db, reads)
