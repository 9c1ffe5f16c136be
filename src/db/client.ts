// The databases as Drizzle sees them: one central, and as many site databases as SITE_DATABASES names.
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1"
import { bindingOf, type Env } from "../env"

export type CentralDatabase = DrizzleD1Database
export type SiteDatabase = DrizzleD1Database

/** A statement that can stand in a `batch`. */
export type Statement = Parameters<CentralDatabase["batch"]>[0][number]

const central = new WeakMap<D1Database, CentralDatabase>()

/** The central database; the same object for the same binding, so that queries can be prepared on it once. */
export function centralDatabase(env: Env): CentralDatabase {
  const known = central.get(env.DB)
  if (known) return known
  const database = drizzle(env.DB)
  central.set(env.DB, database)
  return database
}

/**
 * A site database by the name of its binding.
 * @param binding one of SITE_DATABASES, as `stores.database` holds it
 * @throws Error when there is no such binding
 */
export const siteDatabase = (env: Env, binding: string): SiteDatabase => drizzle(siteBinding(env, binding))

/**
 * A site database for reads that may lag a moment behind: D1's replica nearest to the caller answers (Sessions API).
 * @param binding as for `siteDatabase`
 * @throws Error when there is no such binding
 */
export const nearestReplica = (env: Env, binding: string): SiteDatabase => unconstrained(siteBinding(env, binding))

/** The central database, likewise. */
export const nearestCentralReplica = (env: Env): CentralDatabase => unconstrained(env.DB)

/** Of a database Drizzle calls `prepare` and `batch` only, and a session has both. */
const unconstrained = (database: D1Database) =>
  drizzle(database.withSession("first-unconstrained") as unknown as D1Database)

function siteBinding(env: Env, binding: string): D1Database {
  const database = bindingOf(env, binding) as D1Database | undefined
  if (!database) throw new Error(`There is no site database ${binding}`)
  return database
}

/**
 * Runs statements in order as one transaction: all of them or none, in one round trip.
 * @returns each statement's answer, in order
 */
export function batch(db: CentralDatabase, statements: readonly Statement[]): Promise<unknown[]> {
  const [first, ...rest] = statements
  return first ? db.batch([first, ...rest]) : Promise.resolve([])
}
