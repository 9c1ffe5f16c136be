// Creates the databases of tests. Replaying all migrations takes ten times as long as creating the schema that they
// result in, so each isolate replays them once and copies the result from then on.
import type { D1Migration } from "cloudflare:test"

/** Tables that belong to the runtime or are created with a search index. */
const INTERNAL = /^(sqlite_|_cf_)|_search_(data|idx|content|docsize|config)$/

const VIRTUAL = /^create virtual table/i

/** Types of objects that depend on tables, in the order of their creation. */
const DEPENDENT = ["view", "index", "trigger"]

/** The statements that create the schema and the first rows of a migrated database. */
const copies = new Map<D1Migration[], string>()

/** Creates the tables, indexes, triggers and first rows of an empty database. */
export async function createSchema(database: D1Database, migrations: D1Migration[]): Promise<void> {
  const copy = copies.get(migrations)
  if (copy) return void (await database.prepare(copy).run())
  const statements = migrations.flatMap(({ queries }) => queries)
  // One round trip; `applyD1Migrations` takes one for each migration.
  await database.batch(statements.map((statement) => database.prepare(statement)))
  copies.set(migrations, await copySchema(database))
}

/** Drops all tables and views of a database, with their indexes and triggers. */
export async function dropTables(database: D1Database): Promise<void> {
  const dropped = (await listObjects(database)).filter(({ type }) => type === "table" || type === "view")
  if (!dropped.length) return
  await database.batch(dropped.map(({ type, name }) => database.prepare(`drop ${type} "${name}"`)))
}

async function copySchema(database: D1Database): Promise<string> {
  const objects = await listObjects(database)
  const tables = objects.filter(({ type }) => type === "table")
  const rows = await Promise.all(
    tables.filter(({ sql }) => !VIRTUAL.test(sql)).map(({ name }) => copyRows(database, name)),
  )
  // Rows come before the triggers, which count them.
  return [
    ...tables.map(({ sql }) => sql),
    ...rows.flat(),
    ...DEPENDENT.flatMap((type) => objects.filter((object) => object.type === type).map(({ sql }) => sql)),
  ].join(";\n")
}

async function listObjects(database: D1Database): Promise<{ type: string; name: string; sql: string }[]> {
  const { results } = await database
    .prepare("select type, name, sql from sqlite_master where sql is not null")
    .all<{ type: string; name: string; sql: string }>()
  return results.filter(({ name }) => !INTERNAL.test(name))
}

/** Returns the statements that insert the rows of a table. */
async function copyRows(database: D1Database, table: string): Promise<string[]> {
  const { results } = await database.prepare(`select * from "${table}"`).all<Record<string, unknown>>()
  return results.map((row) => `insert into "${table}" values (${Object.values(row).map(toLiteral).join(", ")})`)
}

function toLiteral(value: unknown): string {
  if (value === null || typeof value === "number") return String(value)
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`
  throw new Error(`A migration inserts a value of type ${typeof value}, which tests cannot copy`)
}
