// Applies migrations/ to the local D1 databases.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Database, root } from "../lib/project.ts"

/** Migration file names by database id. */
type AppliedMigrations = Record<string, string[]>

/** The journal table of `wrangler d1 migrations`, so both can migrate the same database. */
const CREATE_MIGRATIONS_TABLE = `create table if not exists d1_migrations (
  id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)`

/**
 * Applies pending migrations in one runtime. Wrangler's own command starts a runtime per file, which takes half a
 * minute on a fresh clone. The applied files are also recorded next to the databases, because querying each one takes
 * seconds.
 * @param databases the blocks of wrangler.toml
 * @param stateDirectory data directory of `wrangler dev`
 * @returns the migrated bindings
 */
export async function applyLocalMigrations(databases: Database[], stateDirectory: string): Promise<string[]> {
  const journalFile = join(stateDirectory, "v3", "d1", "migrations.json")
  const applied: AppliedMigrations = existsSync(journalFile) ? JSON.parse(readFileSync(journalFile, "utf8")) : {}
  const pending = databases.filter(
    (database) => !isSameList(listMigrations(database), applied[database.database_id] ?? []),
  )
  if (pending.length === 0) return []
  // Imported lazily, because loading takes a second. The setting prevents a network request.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false"
  const { getPlatformProxy } = await import("wrangler")
  mkdirSync(dirname(journalFile), { recursive: true })
  const config = join(stateDirectory, "databases.json")
  writeFileSync(
    config,
    JSON.stringify({ name: "migrations", compatibility_date: COMPATIBILITY_DATE, d1_databases: databases }),
  )
  const platform = await getPlatformProxy<Record<string, D1Database>>({
    configPath: config,
    persist: { path: join(stateDirectory, "v3") },
    remoteBindings: false,
    envFiles: [],
  })
  try {
    for (const database of pending) {
      await applyMigrations(platform.env[database.binding] as D1Database, database)
      applied[database.database_id] = listMigrations(database)
      writeFileSync(journalFile, JSON.stringify(applied))
    }
  } finally {
    await platform.dispose()
    rmSync(config)
  }
  return pending.map(({ binding }) => binding)
}

/** Irrelevant here, because this runtime runs no Worker code. */
const COMPATIBILITY_DATE = "2026-01-01"

/**
 * Applies the pending files of a database in one transaction, with one statement per file. The proxy blocks for several
 * milliseconds to prepare a statement.
 */
async function applyMigrations(db: D1Database, database: Database): Promise<void> {
  await db.prepare(CREATE_MIGRATIONS_TABLE).run()
  const { results } = await db.prepare("select name from d1_migrations").all<{ name: string }>()
  const known = new Set(results.map(({ name }) => name))
  const pending = listMigrations(database).filter((name) => !known.has(name))
  if (pending.length === 0) return
  await db.batch(
    pending.map((name) => {
      const sql = readFileSync(join(root, database.migrations_dir, name), "utf8")
      return db.prepare(`${sql}\n;insert into d1_migrations (name) values ('${name}')`)
    }),
  )
}

/** Builds the wrangler arguments that migrate one database. */
export const buildApplyCommand = (database: Database, where: string[]): string[] => [
  "d1",
  "migrations",
  "apply",
  database.binding,
  ...where,
]

/** Lists a database's migration files in order of application. */
export function listMigrations(database: Database): string[] {
  const directory = join(root, database.migrations_dir)
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort()
}

const isSameList = (a: string[], b: string[]): boolean => a.length === b.length && a.every((name, i) => name === b[i])
