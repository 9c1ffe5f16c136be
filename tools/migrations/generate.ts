// Generates a migration: the changes of the schema by drizzle-kit, then the triggers that the apps' manifests declare.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "../lib/project.ts"
import { type LoadedApp, writeMissingTriggers } from "./app-triggers.ts"
import { findTriggers, readMigrations } from "./existing.ts"

const BREAKPOINT = "\n--> statement-breakpoint\n"

export interface MigrationOptions {
  /** Absolute path of the migrations. */
  directory: string
  /** Glob of the modules with the tables, relative to the root. */
  schema: string
  name: string
  /** The apps whose tables are in these databases. */
  apps: readonly LoadedApp[]
}

/**
 * Generates the next migration.
 * @returns its file name; null when the schema has not changed and no trigger is missing
 */
export function generateMigration(options: MigrationOptions): string | null {
  const { directory, apps } = options
  const before = readMigrations(directory)
  runDrizzle(options)
  const triggers = writeMissingTriggers(apps, before)
  const generated = findAddedFile(options, before.length)
  if (!triggers.length) return generated
  if (!generated) runDrizzle(options, ["--custom"])
  const file = generated ?? findAddedFile(options, before.length)
  if (!file) throw new Error("drizzle-kit did not write a migration")
  const path = join(directory, file)
  const tables = generated ? [readFileSync(path, "utf8").trim()] : []
  writeFileSync(path, `${[...tables, ...triggers].join(BREAKPOINT)}\n`)
  return file
}

/**
 * Generates an empty migration for handwritten SQL.
 * @returns its file name
 */
export function generateCustomMigration(options: MigrationOptions): string | null {
  const before = readMigrations(options.directory)
  runDrizzle(options, ["--custom"])
  return findAddedFile(options, before.length)
}

/**
 * Lists the counters that a migration adds to tables of an earlier migration: their totals lack the existing rows.
 * @param file the migration's name
 */
export function findUncountedTables(directory: string, file: string): string[] {
  const migrations = readMigrations(directory)
  const added = migrations.filter(({ name }) => name === file)
  return [...findTriggers(added)].flatMap(([name, { table }]) =>
    name === `${table}_count_insert` && !added[0]?.sql.includes(`CREATE TABLE \`${table}\``) ? [table] : [],
  )
}

const findAddedFile = ({ directory }: MigrationOptions, count: number): string | null =>
  readMigrations(directory)[count]?.name ?? null

/** @throws Error when drizzle-kit fails */
function runDrizzle({ directory, schema, name }: MigrationOptions, flags: readonly string[] = []): void {
  const drizzle = join(root, "node_modules", "drizzle-kit", "bin.cjs")
  // drizzle-kit treats an absolute directory as relative to its own.
  const where = ["--dialect", "sqlite", "--schema", schema, "--out", relative(root, directory)]
  const { status, stderr } = spawnSync(process.execPath, [drizzle, "generate", ...where, "--name", name, ...flags], {
    cwd: root,
    stdio: ["inherit", "inherit", "pipe"],
    encoding: "utf8",
  })
  if (status !== 0) throw new Error(`drizzle-kit failed: ${stderr}`)
}
