// What an account already has of the platform, asked of wrangler. Nothing here changes anything.
import { type Database, UserError } from "../lib/project.ts"
import { jsonOf, type Wrangler, type WranglerAnswer } from "./wrangler.ts"

/** @throws UserError when nobody is logged in */
export function requireLogin(wrangler: Wrangler): void {
  if (!wrangler(["whoami", "--json"]).ok) {
    throw new UserError('Nobody is logged in: run "npx wrangler login", or set CLOUDFLARE_API_TOKEN.')
  }
}

/** The names of the Worker's secrets, or null when there is no such Worker yet. */
export function secretNames(wrangler: Wrangler): string[] | null {
  const answer = wrangler(["secret", "list", "--format", "json"])
  if (answer.ok) return (jsonOf(answer) as { name: string }[]).map(({ name }) => name)
  if (/not found/i.test(answer.words)) return null
  throw failure("The secrets cannot be listed", answer)
}

/** The version that serves: its id, and the tag it was uploaded with. Null when none does. */
export function servingVersion(wrangler: Wrangler): { id: string; tag: string | undefined } | null {
  const status = wrangler(["deployments", "status", "--json"])
  if (!status.ok) {
    if (/no deployments|not found|does not exist/i.test(status.words)) return null
    throw failure("The deployment that serves cannot be read", status)
  }
  const { versions } = jsonOf(status) as { versions: { version_id: string; percentage: number }[] }
  const [serving] = versions.toSorted((a, b) => b.percentage - a.percentage)
  if (!serving) return null
  const view = wrangler(["versions", "view", serving.version_id, "--json"])
  const { annotations } = (view.ok ? jsonOf(view) : {}) as { annotations?: Record<string, string> }
  // A rollout in steps is somebody's work in progress: what it serves is not this build alone.
  return { id: serving.version_id, tag: versions.length === 1 ? annotations?.["workers/tag"] : undefined }
}

/** The migrations that a remote database has had, by file name; empty for a new database. */
export function appliedMigrations(wrangler: Wrangler, { binding }: Database): string[] {
  const ask = (sql: string) => {
    const answer = wrangler(["d1", "execute", binding, "--remote", "--json", "--command", sql])
    if (!answer.ok) throw failure(`${binding} cannot be asked for its migrations`, answer)
    return (jsonOf(answer) as { results: { name: string }[] }[]).flatMap(({ results }) =>
      results.map(({ name }) => name),
    )
  }
  const [ledger] = ask("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'")
  return ledger ? ask("SELECT name FROM d1_migrations ORDER BY id") : []
}

/** A point in time that a database can be taken back to, for 30 days. */
export function bookmarkOf(wrangler: Wrangler, { binding }: Database): string {
  const answer = wrangler(["d1", "time-travel", "info", binding, "--json"])
  const bookmark = answer.ok ? (jsonOf(answer) as { bookmark?: string }).bookmark : undefined
  if (!bookmark) throw failure(`${binding} has no bookmark to come back to`, answer)
  return bookmark
}

/** A refusal in wrangler's own words. */
export const failure = (what: string, { words }: WranglerAnswer): UserError => new UserError(`${what}:\n${words}`)
