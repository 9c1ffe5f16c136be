// A deployment, in an order in which every step that fails leaves what serves as it is: look, upload, take bookmarks, migrate by
// adding, switch, ask the health check.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Database, root, UserError, type WranglerConfig } from "../lib/project.ts"
import { destroys, isContract } from "../lint/migration-rules.ts"
import { applyCommand, migrationsOf } from "../local/migrations.ts"
import { appliedMigrations, bookmarkOf, failure, requireLogin, secretNames, servingVersion } from "./account.ts"
import { fingerprint } from "./fingerprint.ts"
import { untilServing } from "./health.ts"
import type { Wrangler, WranglerAnswer } from "./wrangler.ts"

export interface RollOut {
  config: WranglerConfig
  /** The path of wrangler.toml. */
  file: string
  wrangler: Wrangler
  /** Migrations that take something away may run. */
  contract: boolean
  /** A file with the secrets of a Worker that does not exist yet. */
  secretsFile: string | undefined
  /** How long the new version may take until it answers. */
  patienceMs: number
  say: (line: string) => void
}

/** How to undo what was done so far; printed when a step fails and at the end. */
interface WayBack {
  previous: string | null
  bookmarks: { binding: string; bookmark: string }[]
}

/**
 * Deploys what stands in the working directory. A second run finds nothing to do.
 * @throws UserError with the way back, when a step fails
 */
export async function rollOut(run: RollOut): Promise<void> {
  const { config, wrangler, say } = run
  requireLogin(wrangler)
  requireSecrets(run)
  const serving = servingVersion(wrangler)
  const pending = config.d1_databases
    .map((database) => pendingMigrations(wrangler, database))
    .filter(({ files }) => files.length > 0)
  requireAdditions(run, pending)

  const tag = fingerprint(wrangler, run.file)
  if (serving?.tag === tag && pending.length === 0) {
    say(`Nothing to do: ${serving.id} serves this code with these settings, and every migration is applied.`)
    return untilServing(config, serving.id, run.patienceMs)
  }
  const uploaded = serving ? upload(wrangler, tag) : null
  say(uploaded ? `Uploaded ${uploaded}: code, bindings and secrets are accepted.` : "The bundle is good.")

  const back: WayBack = { previous: serving?.id ?? null, bookmarks: [] }
  try {
    for (const database of config.d1_databases) {
      const bookmark = bookmarkOf(wrangler, database)
      back.bookmarks.push({ binding: database.binding, bookmark })
      say(`${database.binding} can be taken back to ${bookmark}.`)
    }
    for (const { database, files } of pending) {
      must(wrangler(applyCommand(database, ["--remote"])), `${database.binding} could not be migrated`)
      say(`${database.binding}: applied ${files.join(", ")}.`)
    }
    const version = switchTo(run, uploaded, tag)
    say(`${version} is deployed.`)
    await untilServing(config, version, run.patienceMs)
    say("The health check of the new version is good.")
  } catch (thrown) {
    throw new UserError([(thrown as Error).message, ...wayBack(back)].join("\n"))
  }
  for (const line of wayBack(back)) say(line)
}

/** @throws UserError naming the secrets that are required and not there */
function requireSecrets({ config, wrangler, secretsFile }: RollOut): void {
  const known = secretNames(wrangler)
  if (secretsFile) return
  const missing = config.secrets.required.filter((name) => !known?.includes(name))
  if (missing.length === 0) return
  throw new UserError(
    known
      ? `Secrets are missing: ${missing.map((name) => `"npx wrangler secret put ${name}"`).join(", ")}.`
      : `There is no Worker ${config.name} yet: give its secrets (${missing.join(", ")}) in a file, "npm run deploy -- --secrets-file=<file>".`,
  )
}

interface Pending {
  database: Database
  /** Nothing was ever applied, so nobody can miss what goes. */
  fresh: boolean
  files: string[]
}

function pendingMigrations(wrangler: Wrangler, database: Database): Pending {
  const applied = new Set(appliedMigrations(wrangler, database))
  return { database, fresh: applied.size === 0, files: migrationsOf(database).filter((name) => !applied.has(name)) }
}

/**
 * The version that still runs, and the one that would be gone back to, must find all they use.
 * @throws UserError for a migration that takes something away
 */
function requireAdditions({ contract }: RollOut, pending: Pending[]): void {
  for (const { database, files, fresh } of pending) {
    for (const name of fresh ? [] : files) {
      const sql = readFileSync(join(root, database.migrations_dir, name), "utf8")
      const taken = destroys(sql)
      if (taken.length === 0) continue
      const what = `${database.binding}, ${name} takes something away: ${taken.join(", ")}.`
      if (!isContract(sql)) throw new UserError(`${what} Leave it to a later release, as a contract migration.`)
      if (!contract) {
        throw new UserError(
          `${what} Once the release before this one serves everywhere and need not be gone back to, deploy with --contract.`,
        )
      }
    }
  }
}

/** Uploads without serving; null when only a whole deployment may bring what is new in it (a class of Durable Objects). */
function upload(wrangler: Wrangler, tag: string): string | null {
  const answer = wrangler(["versions", "upload", "--tag", tag])
  if (!answer.ok && /10211|Durable Object migration/i.test(answer.words)) return null
  must(answer, "The upload was refused, and nothing was changed")
  return versionIn(answer, "version-upload")
}

function switchTo({ wrangler, secretsFile }: RollOut, uploaded: string | null, tag: string): string {
  if (!uploaded) {
    const secrets = secretsFile ? ["--secrets-file", secretsFile] : []
    const answer = must(wrangler(["deploy", "--tag", tag, ...secrets]), "The deployment was refused")
    return versionIn(answer, "deploy")
  }
  must(wrangler(["versions", "deploy", `${uploaded}@100%`, "--yes"]), `${uploaded} could not be deployed`)
  must(
    wrangler(["triggers", "deploy"]),
    "The version serves, but its routes, crons and queue consumers could not be set",
  )
  return uploaded
}

/** @throws UserError in wrangler's words when the command failed */
function must(answer: WranglerAnswer, what: string): WranglerAnswer {
  if (!answer.ok) throw failure(what, answer)
  return answer
}

function versionIn(answer: WranglerAnswer, type: string): string {
  const id = answer.entries.find((entry) => entry.type === type)?.version_id
  if (typeof id !== "string") throw failure("wrangler did not say which version it made", answer)
  return id
}

function wayBack({ previous, bookmarks }: WayBack): string[] {
  if (!previous) return []
  return [
    "The way back:",
    `  npx wrangler rollback ${previous} --yes`,
    ...(bookmarks.length > 0
      ? [
          "  The migrations only added, so the version before runs on them. Only if data is damaged (what was written since is lost):",
        ]
      : []),
    ...bookmarks.map(
      ({ binding, bookmark }) => `  npx wrangler d1 time-travel restore ${binding} --bookmark=${bookmark}`,
    ),
  ]
}
