// npm run db:generate -- <central|sites> <name> [--custom]: generates the next migration of a schema, with the triggers
// that the apps' manifests declare; with --custom, an empty one for handwritten SQL.
// Takes a lock, because migrations are numbered and each is compared with the previous one. Reports statements that D1
// rejects, and marks destructive migrations.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import central from "../drizzle.central.config.ts"
import sites from "../drizzle.sites.config.ts"
import { root } from "../tools/lib/project.ts"
import { contractMarker, findFormatErrors, findRemovals } from "../tools/lint/migration-rules.ts"
import {
  findUncountedTables,
  generateCustomMigration,
  generateMigration,
  type MigrationOptions,
} from "../tools/migrations/generate.ts"
import { loadApps } from "../tools/migrations/load-apps.ts"

const lock = join(root, ".wrangler", "generate-migration.lock")
const LOCK_TIMEOUT_MS = 60_000

const [schema, name, ...flags] = process.argv.slice(2)
if (
  !(schema === "central" || schema === "sites") ||
  !/^[a-z][a-z0-9_]*$/.test(name ?? "") ||
  flags.some((flag) => flag !== "--custom")
) {
  console.error("Usage: npm run db:generate -- <central|sites> <name_in_snake_case> [--custom]")
  process.exit(2)
}

const directory = join(root, "migrations", schema)
const options: MigrationOptions = {
  directory,
  schema: String((schema === "sites" ? sites : central).schema),
  name: `${name}`,
  apps: schema === "sites" ? await loadApps() : [],
}

await acquireLock()
try {
  const file = flags.includes("--custom") ? generateCustomMigration(options) : generateMigration(options)
  if (file) reportMigration(file)
} finally {
  rmSync(lock, { force: true })
}

/** Marks a migration if it is destructive, reports problems of its format, and says what is left to do. */
function reportMigration(file: string): void {
  const path = join(directory, file)
  const sql = readFileSync(path, "utf8")
  const destroyed = findRemovals(sql)
  if (destroyed.length > 0 && !sql.startsWith(contractMarker)) {
    writeFileSync(path, `${contractMarker}\n${sql}`)
    console.warn(
      `${file} is destructive (${destroyed.join(", ")}). Ship it one release after the code that stopped using it.`,
    )
  }
  for (const fault of findFormatErrors(sql)) {
    console.error(`${file}, ${fault}`)
    process.exitCode = 1
  }
  for (const table of findUncountedTables(directory, file))
    console.warn(`${file} counts the rows of ${table} from now on. Add the existing rows to its totals.`)
  for (const { manifest } of options.apps) {
    if (
      !manifest.migrations.includes(file) &&
      Object.keys(manifest.tables).some((table) => sql.includes(`\`${table}\``))
    )
      console.log(`Add "${file}" to \`migrations\` in src/apps/${manifest.slug}/manifest.ts.`)
  }
}

/** Acquires the lock file; exits with an error when that takes too long. */
async function acquireLock(): Promise<void> {
  mkdirSync(dirname(lock), { recursive: true })
  for (const end = Date.now() + LOCK_TIMEOUT_MS; ; await sleep(200)) {
    try {
      return writeFileSync(lock, String(process.pid), { flag: "wx" })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
    if (Date.now() > end) {
      console.error(`${lock} is locked by another process. Delete it if none is running.`)
      process.exit(1)
    }
  }
}
