// npm run db:generate -- <central|sites> <name> [--custom]: generates the next migration of a schema.
// Takes a lock, because migrations are numbered and each is compared with the previous one. Reports statements that D1
// rejects, and marks destructive migrations.
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "../tools/lib/project.ts"
import { contractMarker, findFormatErrors, findRemovals } from "../tools/lint/migration-rules.ts"

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

await acquireLock()
try {
  const drizzle = join(root, "node_modules", "drizzle-kit", "bin.cjs")
  const args = ["generate", "--config", `drizzle.${schema}.config.ts`, "--name", `${name}`, ...flags]
  const { status } = spawnSync(process.execPath, [drizzle, ...args], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
  if (status === 0) checkMigration(join(root, "migrations", schema))
} finally {
  rmSync(lock, { force: true })
}

/** Marks the newest migration if it is destructive, and reports problems of its form. */
function checkMigration(directory: string): void {
  const newest = readdirSync(directory)
    .filter((file) => file.endsWith(`_${name}.sql`))
    .sort()
    .at(-1)
  if (!newest) return
  const file = join(directory, newest)
  const sql = readFileSync(file, "utf8")
  const destroyed = findRemovals(sql)
  if (destroyed.length > 0 && !sql.startsWith(contractMarker)) {
    writeFileSync(file, `${contractMarker}\n${sql}`)
    console.warn(
      `${newest} is destructive (${destroyed.join(", ")}). Ship it one release after the code that stopped using it.`,
    )
  }
  for (const fault of findFormatErrors(sql)) {
    console.error(`${newest}, ${fault}`)
    process.exitCode = 1
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
