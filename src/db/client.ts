// Connects to D1: one central database and the site databases that SITE_DATABASES names. The handles can only read;
// writes are values (`write.ts`) that only core/write passes to `execute.ts`.
import { binding, bindingNamedBy } from "../bindings"
import type { Bindings } from "../env"
import {
  type CentralDatabase,
  clientOf,
  connect,
  type Read,
  type Results,
  runReads,
  type SiteDatabase,
} from "./connection"
import type { PreparedRead } from "./prepared"
import { type Client, runRead } from "./read-retry"
import { type AcrossSites, inSite } from "./site-scope"

export type { CentralDatabase, Read, Results, SiteDatabase, Statement } from "./connection"

const centralDatabases = new WeakMap<D1Database, CentralDatabase>()

/** Returns the central database; the same handle for the same binding. */
export const centralDatabase = (env: Bindings): CentralDatabase => centralHandle(binding(env, "DB"))

function centralHandle(client: D1Database): CentralDatabase {
  const known = centralDatabases.get(client)
  if (known) return known
  const database = connect(client)
  centralDatabases.set(client, database)
  return database
}

/**
 * Returns a delivery database by the name of its binding. It has the schema of the central database.
 * @param name one of WEBHOOK_DATABASES, as stored in `webhook_endpoints.database`
 * @throws Error when there is no such binding
 */
export function deliveryDatabase(env: Bindings, name: string): CentralDatabase {
  const client = bindingNamedBy(env, name) as D1Database | undefined
  if (!client) throw new Error(`There is no delivery database ${name}`)
  return centralHandle(client)
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
  /** The time of the read: posts that are scheduled for later are not public yet. */
  now: Date
  /** Called with the version of the site's content at which a batch was read. */
  onVersionRead?: ((version: string) => void) | undefined
  /** A D1 bookmark that the client has seen; reads are at least as recent. */
  bookmark?: string | undefined
}

/** A session that reads from the nearest replica, however old its data. */
const NEAREST = "first-unconstrained"

/**
 * The number of changes, and the date of the latest scheduled post that has appeared: content also changes when such a
 * post becomes due.
 */
const SELECT_VERSION = `select coalesce((select total from counters where site_id = ?1 and list = 'version' and filter = ''), 0)
  || coalesce('-' || (select max(published_at) from posts where site_id = ?1 and published_at > updated_at and published_at <= ?2), '')
  as version`

/** The version of a site without content. */
const NO_VERSION = "0"

/** Adds the read of the site's version to every batch. */
const versionReader = (
  client: Client,
  { siteId, now, onVersionRead }: Pick<ReplicaReader, "siteId" | "now" | "onVersionRead">,
): Client =>
  onVersionRead
    ? {
        prepare: (query) => client.prepare(query),
        async batch<Row>(statements: D1PreparedStatement[]) {
          const results = await client.batch<Row>([
            ...statements,
            client.prepare(SELECT_VERSION).bind(siteId, now.getTime()),
          ])
          onVersionRead((results.pop() as D1Result<{ version: string }> | undefined)?.results[0]?.version ?? NO_VERSION)
          return results
        },
      }
    : client

/**
 * Starts a session of a database.
 * @param start where it reads first: a bookmark, or the constraint of its first query
 */
function openSession(primary: D1Database, start: string): Client & { getBookmark(): string | null } {
  const session = primary.withSession(start)
  return {
    primary,
    prepare: (query) => session.prepare(query),
    batch: (statements) => session.batch(statements),
    getBookmark: () => session.getBookmark(),
  }
}

/**
 * Returns a site database for public reads from D1's nearest replica, which may lag behind (Sessions API). Only `batch`
 * reports the version.
 * @param binding as for `siteDatabase`
 * @throws Error when there is no such binding
 */
export function nearestReplica(env: Bindings, binding: string, reader: ReplicaReader): SiteDatabase {
  const primary = siteBinding(env, binding)
  const session = openSession(primary, reader.bookmark ?? NEAREST)
  const client = { ...versionReader(session, reader), primary: versionReader(primary, reader) }
  return connect(client, inSite(reader.siteId))
}

/** Reads the version of a site's content from the nearest replica. */
export async function siteVersion(env: Bindings, binding: string, siteId: string, now: Date): Promise<string> {
  const session = openSession(siteBinding(env, binding), NEAREST)
  const version = await runRead(session, (client) =>
    client.prepare(SELECT_VERSION).bind(siteId, now.getTime()).first<string>("version"),
  )
  return version ?? NO_VERSION
}

/** Returns the central database's nearest replica. */
export const nearestCentralReplica = (env: Bindings): CentralDatabase =>
  connect(openSession(binding(env, "DB"), NEAREST))

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
  const session = openSession(siteBinding(env, binding), "first-primary")
  return { db: connect(session, inSite(siteId)), bookmark: () => session.getBookmark() }
}

/**
 * Returns a handle that reads from the primary. Later reads of a session may go to a replica, which need not contain a
 * write of the session whose response was lost.
 */
export const primaryOf = (db: SiteDatabase, siteId: string): SiteDatabase =>
  connect(clientOf(db).primary ?? clientOf(db), inSite(siteId))

function siteBinding(env: Bindings, name: string): D1Database {
  const database = bindingNamedBy(env, name) as D1Database | undefined
  if (!database) throw new Error(`There is no site database ${name}`)
  return database
}

/** Runs a single prepared read. */
export async function read<Row>(
  db: CentralDatabase | SiteDatabase,
  { sql, params, rows }: PreparedRead<Row>,
): Promise<Row[]> {
  return rows(
    await runRead(clientOf(db), (client) =>
      client
        .prepare(sql)
        .bind(...params)
        .raw(),
    ),
  )
}

/** Runs reads as one transaction in one round trip; returns their results in order. */
export const batch = <const Reads extends readonly Read[]>(
  db: CentralDatabase | SiteDatabase,
  reads: Reads,
): Promise<Results<Reads>> => runReads(db, reads)
