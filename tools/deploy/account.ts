// Reads the platform's resources in the Cloudflare account through wrangler. Changes nothing.
import { type Database, UserError } from "../lib/project.ts"
import { parseJson, type Wrangler, type WranglerResult } from "./wrangler.ts"

/** @throws UserError when wrangler is not logged in */
export function assertLoggedIn(wrangler: Wrangler): void {
  if (!wrangler(["whoami", "--json"]).ok) {
    throw new UserError('Not logged in to Cloudflare. Run "npx wrangler login", or set CLOUDFLARE_API_TOKEN.')
  }
}

/** Lists the names of the Worker's secrets; null when the Worker does not exist yet. */
export function listSecretNames(wrangler: Wrangler): string[] | null {
  const answer = wrangler(["secret", "list", "--format", "json"])
  if (answer.ok) return (parseJson(answer) as { name: string }[]).map(({ name }) => name)
  if (/not found/i.test(answer.output)) return null
  throw createWranglerError("Could not list the secrets", answer)
}

/** Returns the deployed version with its upload tag; null without a deployment. */
export function getServingVersion(wrangler: Wrangler): { id: string; tag: string | undefined } | null {
  const status = wrangler(["deployments", "status", "--json"])
  if (!status.ok) {
    if (/no deployments|not found|does not exist/i.test(status.output)) return null
    throw createWranglerError("Could not read the current deployment", status)
  }
  const { versions } = parseJson(status) as { versions: { version_id: string; percentage: number }[] }
  const [serving] = versions.toSorted((a, b) => b.percentage - a.percentage)
  if (!serving) return null
  const view = wrangler(["versions", "view", serving.version_id, "--json"])
  const { annotations } = (view.ok ? parseJson(view) : {}) as { annotations?: Record<string, string> }
  // During a gradual rollout, this build is not the only one that serves, so it has no tag.
  return { id: serving.version_id, tag: versions.length === 1 ? annotations?.["workers/tag"] : undefined }
}

/** Lists the migrations applied to a remote database, by file name; empty for a new database. */
export function listAppliedMigrations(wrangler: Wrangler, { binding }: Database): string[] {
  const queryNames = (sql: string) => {
    const answer = wrangler(["d1", "execute", binding, "--remote", "--json", "--command", sql])
    if (!answer.ok) throw createWranglerError(`Could not read the migrations of ${binding}`, answer)
    return (parseJson(answer) as { results: { name: string }[] }[]).flatMap(({ results }) =>
      results.map(({ name }) => name),
    )
  }
  const [migrationsTable] = queryNames("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'")
  return migrationsTable ? queryNames("SELECT name FROM d1_migrations ORDER BY id") : []
}

/** Returns a Time Travel bookmark, which the database can be restored to for 30 days. */
export function getBookmark(wrangler: Wrangler, { binding }: Database): string {
  const answer = wrangler(["d1", "time-travel", "info", binding, "--json"])
  const bookmark = answer.ok ? (parseJson(answer) as { bookmark?: string }).bookmark : undefined
  if (!bookmark) throw createWranglerError(`Could not get a bookmark of ${binding}`, answer)
  return bookmark
}

/** Creates an error that contains wrangler's output. */
export const createWranglerError = (what: string, { output: words }: WranglerResult): UserError =>
  new UserError(`${what}:\n${words}`)
