// Reads the platform's resources in the Cloudflare account through wrangler. Changes nothing.
import { type Database, MissingCredentialsError, ProgramError, type UserError } from "../lib/project.ts"
import { parseJson, type Wrangler, type WranglerResult } from "./wrangler.ts"

/** @throws MissingCredentialsError when wrangler is not logged in */
export function assertLoggedIn(wrangler: Wrangler): void {
  if (!wrangler(["whoami", "--json"]).ok) {
    throw new MissingCredentialsError(
      'Not logged in to Cloudflare. Run "npx wrangler login", or set CLOUDFLARE_API_TOKEN.',
    )
  }
}

/** Lists the names of the Worker's secrets; null when the Worker does not exist yet. */
export function listSecretNames(wrangler: Wrangler): string[] | null {
  const result = wrangler(["secret", "list", "--format", "json"])
  if (result.ok) return (parseJson(result) as { name: string }[]).map(({ name }) => name)
  if (/not found/i.test(result.output)) return null
  throw createWranglerError("Could not list the secrets", result)
}

export interface DeployedVersion {
  id: string
  /** Share of the requests. */
  percentage: number
  /** The tag of the upload. */
  tag: string | undefined
}

/**
 * Lists the versions of the current deployment, the one uploaded first at the start. Two versions are a gradual
 * deployment in progress; none means that the Worker was never deployed.
 */
export function listDeployedVersions(wrangler: Wrangler): DeployedVersion[] {
  const status = wrangler(["deployments", "status", "--json"])
  if (!status.ok) {
    if (/no deployments|not found|does not exist/i.test(status.output)) return []
    throw createWranglerError("Could not read the current deployment", status)
  }
  const { versions } = parseJson(status) as { versions: { version_id: string; percentage: number }[] }
  return versions
    .map(({ version_id: id, percentage }) => {
      const view = wrangler(["versions", "view", id, "--json"])
      if (!view.ok) throw createWranglerError(`Could not read version ${id}`, view)
      const { annotations, metadata } = parseJson(view) as VersionView
      return { id, percentage, tag: annotations?.["workers/tag"], createdAt: metadata?.created_on ?? "" }
    })
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
}

interface VersionView {
  annotations?: Record<string, string>
  metadata?: { created_on?: string }
}

/** Lists the migrations applied to a remote database, by file name; empty for a new database. */
export function listAppliedMigrations(wrangler: Wrangler, database: Database): string[] {
  const queryNames = (sql: string) => queryDatabase<{ name: string }>(wrangler, database, sql).map(({ name }) => name)
  const [migrationsTable] = queryNames("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'")
  return migrationsTable ? queryNames("SELECT name FROM d1_migrations ORDER BY id") : []
}

/** Runs a query on a remote database. @throws UserError with wrangler's output */
export function queryDatabase<Row>(wrangler: Wrangler, { binding }: Database, sql: string): Row[] {
  const result = wrangler(["d1", "execute", binding, "--remote", "--json", "--command", sql])
  if (!result.ok) throw createWranglerError(`Could not query ${binding}`, result)
  return (parseJson(result) as { results: Row[] }[]).flatMap(({ results }) => results)
}

/**
 * Returns a Time Travel bookmark, which the database can be restored to for 30 days.
 * @param at a time in ISO 8601; now by default
 */
export function getBookmark(wrangler: Wrangler, { binding }: Database, at?: string): string {
  const result = wrangler(["d1", "time-travel", "info", binding, "--json", ...(at ? ["--timestamp", at] : [])])
  const bookmark = result.ok ? (parseJson(result) as { bookmark?: string }).bookmark : undefined
  if (!bookmark) throw createWranglerError(`Could not get a bookmark of ${binding}`, result)
  return bookmark
}

/** Creates an error that contains wrangler's output. */
export const createWranglerError = (what: string, { output: words }: WranglerResult): UserError =>
  new ProgramError(`${what}:\n${words}`)
