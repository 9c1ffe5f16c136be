// Brings the local D1 databases to the schema of migrations/.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Database, root } from "../lib/project.ts"

/** Migration file names by database id. */
type Applied = Record<string, string[]>

/** Where `wrangler d1 migrations` notes what is applied; one that was migrated here can be migrated with it, and the other way round. */
const JOURNAL = `create table if not exists d1_migrations (
  id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)`

/**
 * Applies what is not applied yet. All of it in one runtime of ours: wrangler's own command starts one for each file, which takes half a
 * minute for a fresh clone. Which files were applied is noted beside the databases as well, inside the directory that disappears with
 * them, because asking each of them takes seconds.
 * @param databases the blocks of wrangler.toml
 * @param stateDirectory where `wrangler dev` keeps its data
 * @returns the bindings that were migrated
 */
export async function migrateLocally(databases: Database[], stateDirectory: string): Promise<string[]> {
  const note = join(stateDirectory, "v3", "d1", "migrations.json")
  const applied: Applied = existsSync(note) ? JSON.parse(readFileSync(note, "utf8")) : {}
  const pending = databases.filter((database) => !sameList(migrationsOf(database), applied[database.database_id] ?? []))
  if (pending.length === 0) return []
  // Loaded where it is needed, which takes a second; it asks for nothing on the network.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false"
  const { getPlatformProxy, unstable_splitSqlQuery } = await import("wrangler")
  mkdirSync(dirname(note), { recursive: true })
  const config = join(stateDirectory, "databases.json")
  writeFileSync(config, JSON.stringify({ name: "migrations", compatibility_date: DATE, d1_databases: databases }))
  const platform = await getPlatformProxy<Record<string, D1Database>>({
    configPath: config,
    persist: { path: join(stateDirectory, "v3") },
    remoteBindings: false,
    envFiles: [],
  })
  try {
    for (const database of pending) {
      await migrate(platform.env[database.binding] as D1Database, database, unstable_splitSqlQuery)
      applied[database.database_id] = migrationsOf(database)
      writeFileSync(note, JSON.stringify(applied))
    }
  } finally {
    await platform.dispose()
    rmSync(config)
  }
  return pending.map(({ binding }) => binding)
}

/** Of a runtime that runs no code of ours. */
const DATE = "2026-01-01"

/** Applies the files that the database does not know of, each whole or not at all. */
async function migrate(db: D1Database, database: Database, statementsOf: (sql: string) => string[]): Promise<void> {
  await db.prepare(JOURNAL).run()
  const { results } = await db.prepare("select name from d1_migrations").all<{ name: string }>()
  const known = new Set(results.map(({ name }) => name))
  for (const name of migrationsOf(database).filter((file) => !known.has(file))) {
    const statements = statementsOf(readFileSync(join(root, database.migrations_dir, name), "utf8"))
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare("insert into d1_migrations (name) values (?)").bind(name),
    ])
  }
}

/** The arguments with which wrangler migrates one database. */
export const applyCommand = (database: Database, where: string[]): string[] => [
  "d1",
  "migrations",
  "apply",
  database.binding,
  ...where,
]

/** The names of a database's migration files, in the order they are applied. */
export function migrationsOf(database: Database): string[] {
  const directory = join(root, database.migrations_dir)
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort()
}

const sameList = (a: string[], b: string[]): boolean => a.length === b.length && a.every((name, i) => name === b[i])
