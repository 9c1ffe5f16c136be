// npm run db:generate -- <central|sites> <name> [--custom]: writes the next migration of one schema, under a given name.
// One at a time, because each is numbered and compared with the one before it.
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const root = dirname(import.meta.dirname)
const lock = join(root, ".wrangler", "generate-migration.lock")
const LONGEST_WAIT_MS = 60_000

const [schema, name, ...flags] = process.argv.slice(2)
if (
  !(schema === "central" || schema === "sites") ||
  !/^[a-z][a-z0-9_]*$/.test(name ?? "") ||
  flags.some((flag) => flag !== "--custom")
) {
  console.error("Usage: npm run db:generate -- <central|sites> <name_in_snake_case> [--custom]")
  process.exit(2)
}

await acquire()
try {
  const drizzle = join(root, "node_modules", "drizzle-kit", "bin.cjs")
  const args = ["generate", "--config", `drizzle.${schema}.config.ts`, "--name", `${name}`, ...flags]
  const { status } = spawnSync(process.execPath, [drizzle, ...args], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
} finally {
  rmSync(lock, { force: true })
}

/** Creates the lock file, waiting for whoever holds it; ends with a sentence when that takes too long. */
async function acquire(): Promise<void> {
  mkdirSync(dirname(lock), { recursive: true })
  for (const end = Date.now() + LONGEST_WAIT_MS; ; await sleep(200)) {
    try {
      return writeFileSync(lock, String(process.pid), { flag: "wx" })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
    if (Date.now() > end) {
      console.error(`${lock} is held by another process; delete it if none is running.`)
      process.exit(1)
    }
  }
}
