// Deploys in an order in which a failed step leaves the serving version unchanged: check, upload, save bookmarks, apply
// additive migrations, activate, run the health check.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Database, root, UserError, type WranglerConfig } from "../lib/project.ts"
import { findRemovals, isContract } from "../lint/migration-rules.ts"
import { buildApplyCommand, listMigrations } from "../local/migrations.ts"
import {
  assertLoggedIn,
  createWranglerError,
  getBookmark,
  getServingVersion,
  listAppliedMigrations,
  listSecretNames,
} from "./account.ts"
import { computeFingerprint, defineRendering } from "./fingerprint.ts"
import { waitUntilServing } from "./health.ts"
import type { Wrangler, WranglerResult } from "./wrangler.ts"

export interface RollOutOptions {
  config: WranglerConfig
  /** The path of wrangler.toml. */
  file: string
  wrangler: Wrangler
  /** Allow destructive migrations. */
  contract: boolean
  /** File with the secrets of a Worker that does not exist yet. */
  secretsFile: string | undefined
  /** Time limit for the new version to become healthy. */
  timeoutMs: number
  say: (line: string) => void
}

/** Data for the rollback instructions, printed when a step fails and at the end. */
interface RollbackInfo {
  previous: string | null
  bookmarks: { binding: string; bookmark: string }[]
}

/**
 * Deploys the working directory. A second run has nothing to do.
 * @throws UserError with rollback instructions when a step fails
 */
export async function rollOut(run: RollOutOptions): Promise<void> {
  const { config, wrangler, say: print } = run
  assertLoggedIn(wrangler)
  assertSecrets(run)
  const serving = getServingVersion(wrangler)
  const pending = config.d1_databases
    .map((database) => getPendingMigrations(wrangler, database))
    .filter(({ files }) => files.length > 0)
  assertAdditiveMigrations(run, pending)

  const tag = computeFingerprint(wrangler, run.file)
  if (serving?.tag === tag && pending.length === 0) {
    print(
      `Nothing to deploy: ${serving.id} already serves this code and these settings, and all migrations are applied.`,
    )
    return waitUntilServing(config, serving.id, run.timeoutMs)
  }
  const uploaded = serving ? uploadVersion(wrangler, tag) : null
  print(uploaded ? `Uploaded version ${uploaded}.` : "Built the Worker.")

  const rollback: RollbackInfo = { previous: serving?.id ?? null, bookmarks: [] }
  try {
    for (const database of config.d1_databases) {
      const bookmark = getBookmark(wrangler, database)
      rollback.bookmarks.push({ binding: database.binding, bookmark })
      print(`Saved bookmark ${bookmark} of ${database.binding}.`)
    }
    for (const { database, files } of pending) {
      assertOk(wrangler(buildApplyCommand(database, ["--remote"])), `Could not migrate ${database.binding}`)
      print(`${database.binding}: applied ${files.join(", ")}.`)
    }
    const version = activateVersion(run, uploaded, tag)
    print(`Deployed ${version}.`)
    await waitUntilServing(config, version, run.timeoutMs)
    print("The new version is healthy.")
  } catch (thrown) {
    throw new UserError([(thrown as Error).message, ...formatRollback(rollback)].join("\n"))
  }
  for (const line of formatRollback(rollback)) print(line)
}

/** @throws UserError naming the missing secrets */
function assertSecrets({ config, wrangler, secretsFile }: RollOutOptions): void {
  const known = listSecretNames(wrangler)
  if (secretsFile) return
  const missing = config.secrets.required.filter((name) => !known?.includes(name))
  if (missing.length === 0) return
  throw new UserError(
    known
      ? `Missing secrets. Run ${missing.map((name) => `"npx wrangler secret put ${name}"`).join(", ")}.`
      : `The Worker ${config.name} does not exist yet. Pass its secrets (${missing.join(", ")}) in a file: npm run deploy -- --secrets-file=<file>`,
  )
}

interface PendingMigrations {
  database: Database
  /** No migration was ever applied, so destructive ones cannot remove data. */
  fresh: boolean
  files: string[]
}

function getPendingMigrations(wrangler: Wrangler, database: Database): PendingMigrations {
  const applied = new Set(listAppliedMigrations(wrangler, database))
  return { database, fresh: applied.size === 0, files: listMigrations(database).filter((name) => !applied.has(name)) }
}

/**
 * Rejects destructive migrations, because the serving version and a rollback target need the current schema.
 * @throws UserError for a destructive migration
 */
function assertAdditiveMigrations({ contract }: RollOutOptions, pending: PendingMigrations[]): void {
  for (const { database, files, fresh: isNew } of pending) {
    for (const name of isNew ? [] : files) {
      const sql = readFileSync(join(root, database.migrations_dir, name), "utf8")
      const destroyed = findRemovals(sql)
      if (destroyed.length === 0) continue
      const what = `${database.binding}, ${name} is destructive: ${destroyed.join(", ")}.`
      if (!isContract(sql)) throw new UserError(`${what} Move it to a later release as a contract migration.`)
      if (!contract) {
        throw new UserError(
          `${what} Deploy with --contract once the previous release serves everywhere and you no longer need to roll back past it.`,
        )
      }
    }
  }
}

/** Uploads a version without activating it; null when a new Durable Object class requires a full deployment. */
function uploadVersion(wrangler: Wrangler, tag: string): string | null {
  const answer = wrangler(["versions", "upload", "--tag", tag, ...defineRendering(wrangler)])
  if (!answer.ok && /10211|Durable Object migration/i.test(answer.output)) return null
  assertOk(answer, "The upload failed. Nothing was changed")
  return getVersionId(answer, "version-upload")
}

function activateVersion({ wrangler, secretsFile }: RollOutOptions, uploaded: string | null, tag: string): string {
  if (!uploaded) {
    const secrets = secretsFile ? ["--secrets-file", secretsFile] : []
    const answer = assertOk(
      wrangler(["deploy", "--tag", tag, ...defineRendering(wrangler), ...secrets]),
      "The deployment failed",
    )
    return getVersionId(answer, "deploy")
  }
  assertOk(wrangler(["versions", "deploy", `${uploaded}@100%`, "--yes"]), `Could not activate ${uploaded}`)
  assertOk(
    wrangler(["triggers", "deploy"]),
    "The version is active, but its routes, cron triggers and queue consumers could not be updated",
  )
  return uploaded
}

/** @throws UserError with wrangler's output when the command failed */
function assertOk(answer: WranglerResult, what: string): WranglerResult {
  if (!answer.ok) throw createWranglerError(what, answer)
  return answer
}

function getVersionId(answer: WranglerResult, type: string): string {
  const id = answer.entries.find((entry) => entry.type === type)?.version_id
  if (typeof id !== "string") throw createWranglerError("wrangler did not report the new version", answer)
  return id
}

function formatRollback({ previous, bookmarks }: RollbackInfo): string[] {
  if (!previous) return []
  return [
    "To roll back:",
    `  npx wrangler rollback ${previous} --yes`,
    ...(bookmarks.length > 0
      ? [
          "  The previous version works with the new schema. Restore a database only if its data is damaged; later writes are lost:",
        ]
      : []),
    ...bookmarks.map(
      ({ binding, bookmark }) => `  npx wrangler d1 time-travel restore ${binding} --bookmark=${bookmark}`,
    ),
  ]
}
