// Deploys in an order in which a failed step leaves or brings back the serving version: check, upload, save bookmarks,
// apply additive migrations, shift traffic with health checks, publish triggers.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Database, root, UserError, type WranglerConfig } from "../lib/project.ts"
import { findRemovals, isContract } from "../lint/migration-rules.ts"
import { buildApplyCommand, listMigrations } from "../local/migrations.ts"
import {
  assertLoggedIn,
  createWranglerError,
  type DeployedVersion,
  getBookmark,
  listAppliedMigrations,
  listDeployedVersions,
  listSecretNames,
} from "./account.ts"
import { createApi } from "./api.ts"
import { saveBookmarks } from "./bookmarks.ts"
import { findStaleConsumers, listQueues, removeConsumers } from "./consumers.ts"
import { computeFingerprint, defineRendering } from "./fingerprint.ts"
import { isReachable, waitUntilServing } from "./health.ts"
import { setAllTraffic, shiftTraffic } from "./traffic.ts"
import type { Wrangler, WranglerResult } from "./wrangler.ts"

export interface RollOutOptions {
  config: WranglerConfig
  /** The path of wrangler.toml. */
  file: string
  wrangler: Wrangler
  /** Allow destructive migrations. */
  contract: boolean
  /** Upload a new version even if the same build is running. */
  force: boolean
  /** File with secrets to upload with the code; other secrets stay. */
  secretsFile: string | undefined
  /** Shift traffic in steps instead of at once. */
  gradual: boolean
  /** Duration of each step of a gradual deployment. */
  stepMs: number
  /** Time limit for the new version to become healthy. */
  timeoutMs: number
  say: (line: string) => void
}

/** Data for the rollback instructions, printed when a step fails and at the end. */
interface RollbackInfo {
  previous: string | null
  /** Cloudflare refuses a rollback to a version before a Durable Object migration. */
  hasDurableMigration: boolean
  bookmarks: { binding: string; bookmark: string }[]
}

/**
 * Deploys the working directory. A second run has nothing to do but publishing the triggers again.
 * @throws UserError with rollback instructions when a step fails
 */
export async function rollOut(run: RollOutOptions): Promise<void> {
  const { config, wrangler, say: print, secretsFile } = run
  assertLoggedIn(wrangler)
  assertSecrets(run)
  const pending = config.d1_databases
    .map((database) => getPendingMigrations(wrangler, database))
    .filter(({ files }) => files.length > 0)
  assertAdditiveMigrations(run, pending)
  const staleConsumers = findStaleConsumers(config, await listQueues(createApi(wrangler, config)))
  if (staleConsumers.length > 0) {
    print(`wrangler.toml no longer has consumers of ${staleConsumers.join(", ")}; they will be removed.`)
  }

  const tag = computeFingerprint(wrangler, run.file)
  const { serving, interrupted } = resumeOrReset(run, tag)
  // The tag does not cover secrets, so new ones always need an upload.
  if (serving?.tag === tag && !interrupted && !secretsFile && !run.force && pending.length === 0) {
    print(
      `Nothing to deploy: ${serving.id} already serves this code and these settings, and all migrations are applied.`,
    )
    publishTriggers(run, staleConsumers)
    return waitUntilServing({ config, version: serving.id }, run.timeoutMs)
  }
  const uploaded = interrupted?.id ?? (serving ? uploadVersion(run, tag) : null)
  if (!interrupted) print(uploaded ? `Uploaded version ${uploaded}.` : "Built the Worker.")

  const rollback: RollbackInfo = { previous: serving?.id ?? null, hasDurableMigration: !uploaded, bookmarks: [] }
  try {
    for (const database of config.d1_databases) {
      const bookmark = getBookmark(wrangler, database)
      rollback.bookmarks.push({ binding: database.binding, bookmark })
      print(`Saved bookmark ${bookmark} of ${database.binding}.`)
    }
    const { previous, bookmarks } = rollback
    saveBookmarks(wrangler, config, { at: new Date().toISOString(), version: previous, bookmarks })
    for (const { database, files } of pending) {
      assertOk(wrangler(buildApplyCommand(database, ["--remote"])), `Could not migrate ${database.binding}`)
      print(`${database.binding}: applied ${files.join(", ")}.`)
    }
    if (serving && uploaded) await shift(run, serving.id, uploaded, interrupted?.percentage ?? 0)
    const version = uploaded ?? deployAtOnce(run, tag)
    print(`Deployed ${version}.`)
    publishTriggers(run, staleConsumers)
    await waitUntilServing({ config, version }, run.timeoutMs)
    print("The new version is healthy.")
  } catch (thrown) {
    throw new UserError([(thrown as Error).message, ...formatRollback(rollback)].join("\n"))
  }
  for (const line of formatRollback(rollback)) print(line)
}

/**
 * Looks for a deployment that was interrupted between two percentages. If it was one of the same build, it continues;
 * otherwise all requests go to the older version again.
 * @returns the version to replace, and the version of the deployment that continues
 */
function resumeOrReset({ wrangler, secretsFile, force, say: print }: RollOutOptions, tag: string) {
  const versions = listDeployedVersions(wrangler)
  if (versions.length > 2) {
    throw new UserError(
      `${versions.length} versions serve requests. Choose one with "npx wrangler versions deploy <version>@100% --yes".`,
    )
  }
  const [serving, interrupted] = versions as [DeployedVersion?, DeployedVersion?]
  if (!serving || !interrupted) return { serving }
  const state = `An earlier deployment of ${interrupted.id} stopped at ${interrupted.percentage}%`
  if (interrupted.tag === tag && !secretsFile && !force) {
    print(`${state}; continuing it.`)
    return { serving, interrupted }
  }
  print(`${state}; returning all requests to ${serving.id}.`)
  setAllTraffic(wrangler, serving.id)
  return { serving }
}

/** Shifts traffic to the uploaded version. Its health check needs the routes, so missing ones are published first. */
async function shift(run: RollOutOptions, previous: string, version: string, start: number): Promise<void> {
  if (!(await isReachable(run.config))) {
    run.say("No version answers on the central domain; publishing the routes before the health check.")
    publishTriggers(run, [])
  }
  await shiftTraffic({ ...run, previous, version, start, print: run.say })
}

/** Publishes routes, cron triggers and queue consumers of wrangler.toml, and removes other consumers of this Worker. */
function publishTriggers({ config, wrangler }: RollOutOptions, staleConsumers: string[]): void {
  assertOk(
    wrangler(["triggers", "deploy"]),
    "Routes, cron triggers and queue consumers could not be updated. Repeat the deployment",
  )
  removeConsumers(wrangler, config.name, staleConsumers)
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
function uploadVersion({ wrangler, secretsFile }: RollOutOptions, tag: string): string | null {
  const result = wrangler([
    "versions",
    "upload",
    "--tag",
    tag,
    ...defineRendering(wrangler),
    ...getSecretsOption(secretsFile),
  ])
  if (!result.ok && /10211|Durable Object migration/i.test(result.output)) return null
  assertOk(result, "The upload failed. Nothing was changed")
  return getVersionId(result, "version-upload")
}

/** Uploads and activates in one step, which also runs Durable Object migrations. */
function deployAtOnce({ wrangler, secretsFile }: RollOutOptions, tag: string): string {
  const result = assertOk(
    wrangler(["deploy", "--tag", tag, ...defineRendering(wrangler), ...getSecretsOption(secretsFile)]),
    "The deployment failed. Repeat it",
  )
  return getVersionId(result, "deploy")
}

const getSecretsOption = (file: string | undefined): string[] => (file ? ["--secrets-file", file] : [])

/** @throws UserError with wrangler's output when the command failed */
function assertOk(result: WranglerResult, what: string): WranglerResult {
  if (!result.ok) throw createWranglerError(what, result)
  return result
}

function getVersionId(result: WranglerResult, type: string): string {
  const id = result.entries.find((entry) => entry.type === type)?.version_id
  if (typeof id !== "string") throw createWranglerError("wrangler did not report the new version", result)
  return id
}

function formatRollback({ previous, hasDurableMigration, bookmarks }: RollbackInfo): string[] {
  if (!previous) return []
  const rollback = hasDurableMigration
    ? [
        "This deployment ran a Durable Object migration, and Cloudflare allows no rollback past it. Deploy a fix instead.",
      ]
    : [
        "To roll back:",
        `  npx wrangler rollback ${previous} --yes`,
        "  This also brings back the secrets of that version. If APP_KEY changed since, deploy the previous release from its",
        "  source instead: an upload takes over the current secrets. See docs/operations/deployment.md.",
      ]
  if (bookmarks.length === 0) return rollback
  return [
    ...rollback,
    "  The previous version works with the new schema. Restore a database only if its data is damaged; later writes are lost:",
    ...bookmarks.map(
      ({ binding, bookmark }) => `  npx wrangler d1 time-travel restore ${binding} --bookmark=${bookmark}`,
    ),
  ]
}
