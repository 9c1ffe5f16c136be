// Brings the local D1 databases to the schema of migrations/.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Database, root } from "./project.ts"
import { runWrangler } from "./wrangler.ts"

/** Migration file names by database id. */
type Applied = Record<string, string[]>

/**
 * Applies what is not applied yet, one database after the other: their files share one index, which has one writer. Which
 * files were applied is noted beside the databases, inside the directory that disappears with them, because asking each
 * of them through wrangler takes seconds.
 * @param databases the blocks of wrangler.toml
 * @param stateDirectory where `wrangler dev` keeps its data
 * @returns the bindings that were migrated
 */
export async function migrateLocally(databases: Database[], stateDirectory: string): Promise<string[]> {
  const note = join(stateDirectory, "v3", "d1", "migrations.json")
  const applied: Applied = existsSync(note) ? JSON.parse(readFileSync(note, "utf8")) : {}
  const pending = databases.filter((database) => !sameList(migrationsOf(database), applied[database.database_id] ?? []))
  for (const database of pending) {
    await runWrangler(applyCommand(database, ["--local", "--persist-to", stateDirectory]))
    applied[database.database_id] = migrationsOf(database)
    mkdirSync(dirname(note), { recursive: true })
    writeFileSync(note, JSON.stringify(applied))
  }
  return pending.map(({ binding }) => binding)
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
