// Probes the databases for the health check and the system page.
import { bindingNamedBy } from "../bindings"
import type { Bindings, Settings } from "../env"
import { runRead } from "./read-retry"

/** Lists the names of all databases: the central one first. */
export const listDatabases = ({ SITE_DATABASES, WEBHOOK_DATABASES }: Settings): string[] => [
  ...new Set(["DB", ...SITE_DATABASES, ...WEBHOOK_DATABASES]),
]

/**
 * Runs a query that reads no rows, and once more after a transient error.
 * @param name one of `listDatabases`
 * @returns the database's size in bytes; null when D1 does not report it
 * @throws errors of D1
 */
export async function probeDatabase(env: Bindings, name: string): Promise<number | null> {
  const database = bindingNamedBy(env, name) as D1Database
  const { meta } = await runRead(database, (client) => client.prepare("select 1").run())
  return meta.size_after ?? null
}

/**
 * Runs a query that reads no rows on the nearest replica, through the Sessions API, and once more after a transient
 * error.
 * @param name one of `listDatabases`
 * @throws errors of D1
 */
export async function probeReplica(env: Bindings, name: string): Promise<void> {
  const session = (bindingNamedBy(env, name) as D1Database).withSession("first-unconstrained")
  await runRead(session, (client) => client.prepare("select 1").run())
}
