// npm run db:generate -- <central|sites> <name> [--custom]: writes the next migration of one schema, under a given name.
// One at a time, because each is numbered and compared with the one before it. Says at once what D1 would not take, and what a
// version that still runs would miss.
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "../tools/lib/project.ts"
import { contractMarker, destroys, formFaults } from "../tools/lint/migration-rules.ts"

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
  if (status === 0) judge(join(root, "migrations", schema))
} finally {
  rmSync(lock, { force: true })
}

/** Marks the newest file of a directory when it takes something away, and names what is wrong with its form. */
function judge(directory: string): void {
  const newest = readdirSync(directory)
    .filter((file) => file.endsWith(`_${name}.sql`))
    .sort()
    .at(-1)
  if (!newest) return
  const file = join(directory, newest)
  const sql = readFileSync(file, "utf8")
  const taken = destroys(sql)
  if (taken.length > 0 && !sql.startsWith(contractMarker)) {
    writeFileSync(file, `${contractMarker}\n${sql}`)
    console.warn(
      `${newest} takes something away (${taken.join(", ")}): ship it one release after the code that stopped using it.`,
    )
  }
  for (const fault of formFaults(sql)) {
    console.error(`${newest}, ${fault}`)
    process.exitCode = 1
  }
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
