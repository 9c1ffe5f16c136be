// Stores the Time Travel bookmarks of each deployment in R2, and rehearses a restore of the databases.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Database, UserError, type WranglerConfig } from "../lib/project.ts"
import { assertLoggedIn, createWranglerError, getBookmark, queryDatabase } from "./account.ts"
import { parseJson, type Wrangler } from "./wrangler.ts"

const KEY = "deployments/bookmarks.json"

const DAY_MS = 86_400_000

/** Days that Time Travel goes back on the Workers Paid plan, and on the free plan. */
const RETENTION_DAYS = 30
const FREE_RETENTION_DAYS = 7

/** The databases' state before a deployment. */
interface SavedBookmarks {
  /** ISO 8601. */
  at: string
  /** The version that served then; null before the first deployment. */
  version: string | null
  bookmarks: { binding: string; bookmark: string }[]
}

/**
 * Lists the stored bookmarks of the last 30 days, oldest first.
 * @throws UserError when the object cannot be read
 */
function listBookmarks(wrangler: Wrangler, config: WranglerConfig): SavedBookmarks[] {
  const result = wrangler(["r2", "object", "get", ...getObject(config), "--pipe"])
  if (!result.ok && /key does not exist/i.test(result.output)) return []
  if (!result.ok) throw createWranglerError("Could not read the stored bookmarks", result)
  const earliest = new Date(Date.now() - RETENTION_DAYS * DAY_MS).toISOString()
  return (parseJson(result) as SavedBookmarks[]).filter(({ at }) => at >= earliest)
}

/**
 * Adds bookmarks to the stored ones, and drops those that are too old to use.
 * @throws UserError when they cannot be stored
 */
export function saveBookmarks(wrangler: Wrangler, config: WranglerConfig, saved: SavedBookmarks): void {
  const directory = mkdtempSync(join(tmpdir(), "tenancy-bookmarks-"))
  try {
    const file = join(directory, "bookmarks.json")
    writeFileSync(file, JSON.stringify([...listBookmarks(wrangler, config), saved]))
    const options = ["--file", file, "--content-type", "application/json"]
    const result = wrangler(["r2", "object", "put", ...getObject(config), ...options])
    if (!result.ok) throw createWranglerError("Could not store the bookmarks", result)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Prints the stored bookmarks with the commands that restore them. */
export function printBookmarks(wrangler: Wrangler, config: WranglerConfig, print: (line: string) => void): void {
  const saved = listBookmarks(wrangler, config)
  if (saved.length === 0) print("No deployment of the last 30 days stored bookmarks.")
  for (const { at, version, bookmarks } of saved) {
    print(`${at}  before the deployment that replaced ${version ?? "nothing"}`)
    for (const { binding, bookmark } of bookmarks) print(`  ${formatRestoreCommand(binding, bookmark)}`)
  }
}

/**
 * Rehearses a restore of all databases to a time: which bookmarks it would use, what would be lost, and the commands.
 * Changes nothing.
 * @throws UserError for a time that Time Travel cannot reach, MissingCredentialsError without a login
 */
export function checkRestore(
  wrangler: Wrangler,
  { d1_databases }: WranglerConfig,
  time: string,
  print: (line: string) => void,
): void {
  const at = new Date(time)
  const days = (Date.now() - at.getTime()) / DAY_MS
  if (!(days >= 0)) throw new UserError("--at must be a past time such as 2026-11-23T03:00:00Z.")
  if (days > RETENTION_DAYS) {
    throw new UserError(
      `${at.toISOString()} is ${Math.floor(days)} days ago. Time Travel goes back ${RETENTION_DAYS} days.`,
    )
  }
  assertLoggedIn(wrangler)
  print(
    days > FREE_RETENTION_DAYS
      ? `${at.toISOString()} is within Time Travel's 30 days of the Workers Paid plan, but not within the 7 days of the free plan.`
      : `${at.toISOString()} is within Time Travel's 30 days (7 days on the free plan).`,
  )
  const commands: string[] = []
  for (const database of d1_databases) {
    const bookmark = getBookmark(wrangler, database, at.toISOString())
    print(`${database.binding}: bookmark ${bookmark}. A restore would lose what was written since, including:`)
    for (const { what, count } of countLosses(wrangler, database, at)) print(`  ${count} ${what}`)
    commands.push(`  ${formatRestoreCommand(database.binding, bookmark)}`)
  }
  print("Files in R2, sent webhooks and sent emails do not change. Stop writes first. To restore all databases:")
  for (const command of commands) print(command)
}

/** Rows that a restore would remove or reset, by kind. Reads the tables completely where no index helps. */
const LOSSES = {
  "migrations/central": {
    "audit entries (one per change)": "SELECT count(*) AS n FROM audit_entries WHERE created_at > ?",
    "stores created": "SELECT count(*) AS n FROM stores WHERE created_at > ?",
    "payments recorded": "SELECT count(*) AS n FROM payments WHERE created_at > ?",
    "events, whose seq would be assigned again": "SELECT count(*) AS n FROM webhook_events WHERE created_at > ?",
  },
  "migrations/sites": {
    "users registered": "SELECT count(*) AS n FROM users WHERE created_at > ?",
    "posts changed": "SELECT count(*) AS n FROM posts WHERE updated_at > ?",
    "shop orders placed": "SELECT count(*) AS n FROM orders WHERE created_at > ?",
  },
}

function countLosses(wrangler: Wrangler, database: Database, at: Date): { what: string; count: number }[] {
  const queries = LOSSES[database.migrations_dir as keyof typeof LOSSES] ?? {}
  return Object.entries(queries).map(([what, sql]) => {
    const [row] = queryDatabase<{ n: number }>(wrangler, database, sql.replace("?", String(at.getTime())))
    return { what, count: row?.n ?? 0 }
  })
}

const formatRestoreCommand = (binding: string, bookmark: string): string =>
  `npx wrangler d1 time-travel restore ${binding} --bookmark=${bookmark}`

/** The arguments that name the object: in the bucket of the store backups. */
function getObject({ r2_buckets }: WranglerConfig): string[] {
  const bucket = r2_buckets.find(({ binding }) => binding === "BACKUPS")
  if (!bucket) throw new UserError("wrangler.toml has no bucket with the binding BACKUPS.")
  return [
    `${bucket.bucket_name}/${KEY}`,
    "--remote",
    ...(bucket.jurisdiction ? ["--jurisdiction", bucket.jurisdiction] : []),
  ]
}
