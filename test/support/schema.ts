// Creates and empties the databases of tests. Replaying all migrations takes ten times as long as creating the schema
// that they result in, so each isolate replays them once and copies the result from then on. Deleting the rows of a test
// takes a fifth of creating the schema again.
import type { D1Migration } from "cloudflare:test"

/** Tables that belong to the runtime or are created with a search index. */
const INTERNAL = /^(sqlite_|_cf_)|_search_(data|idx|content|docsize|config)$/

const VIRTUAL = /^create virtual table/i

/** A database of this size is created again faster than its rows are deleted. An empty one has about a megabyte. */
const MAX_BYTES = 4_000_000

/** A trigger that runs when rows are deleted. */
const DELETE_TRIGGER = /^create trigger \S+\s+(before|after) delete\b/i

/** A trigger that runs when rows are inserted. */
const INSERT_TRIGGER = /^create trigger \S+\s+(before|after) insert\b/i

/** A trigger that only indexes the new row. A copy needs the index too, whose own rows cannot be copied. */
const SEARCH_TRIGGER = /_search_insert$/

const SEARCH_INDEX = /^create virtual table .* using fts5\(/i

/** Types of objects that depend on tables, in the order of their creation. */
const DEPENDENT = ["view", "index", "trigger"]

/** How to create and to empty a migrated database. */
interface Schema {
  /** The statements that create the schema and the first rows. */
  sql: string
  /** The total length of its statements. */
  length: number
  /** Selects the total length of the schema's statements, whether ids were generated, and then which tables have rows. */
  state: string
  tables: TableReset[]
  /** The tables with rows of their own, in the order of `tables`; null for virtual ones. */
  copied: (CopiedTable | null)[]
}

/** A table, and its triggers that change other rows when one is inserted. */
interface CopiedTable {
  name: string
  triggers: { name: string; sql: string }[]
}

/** All rows of a table. */
export interface RowCopy {
  table: CopiedTable
  rows: Record<string, unknown>[]
}

/**
 * The statements that make a table as the migrations left it. Triggers would prevent the deletion, or write elsewhere;
 * each that is dropped costs time, because a change of the schema makes SQLite parse all of it again.
 */
interface TableReset {
  dropTriggers: string[]
  deleteRows: string[]
  createTriggers: string[]
}

const schemas = new Map<D1Migration[], Schema>()

/** Creates the tables, indexes, triggers and first rows of an empty database. */
export async function createSchema(database: D1Database, migrations: D1Migration[]): Promise<void> {
  const schema = schemas.get(migrations)
  if (schema) return void (await database.prepare(schema.sql).run())
  const statements = migrations.flatMap(({ queries }) => queries)
  // One round trip; `applyD1Migrations` takes one for each migration.
  await database.batch(statements.map((statement) => database.prepare(statement)))
  schemas.set(migrations, await readSchema(database))
}

/**
 * Deletes all rows that `createSchema` did not insert. Returns false, and deletes nothing, if the schema has changed
 * since then or the database is large.
 */
export async function deleteNewRows(database: D1Database, migrations: D1Migration[]): Promise<boolean> {
  const schema = schemas.get(migrations)
  if (!schema) return false
  // Fails if a test dropped a table.
  const state = await database
    .prepare(schema.state)
    .all<Record<string, number>>()
    .catch(() => null)
  const [length, hasSequences, ...hasRows] = Object.values(state?.results[0] ?? {})
  if (length !== schema.length || Number(state?.meta.size_after) > MAX_BYTES) return false
  const resets = schema.tables.filter((_, at) => hasRows[at] !== 0)
  if (!resets.length && !hasSequences) return true
  const statements = [
    "pragma defer_foreign_keys = on",
    ...resets.flatMap(({ dropTriggers }) => dropTriggers),
    ...resets.flatMap(({ deleteRows }) => deleteRows),
    "delete from sqlite_sequence",
    ...resets.flatMap(({ createTriggers }) => createTriggers),
  ]
  await database.prepare(statements.join(";\n")).run()
  return true
}

/** Gives a database this schema and no rows but those that its migrations insert. */
export async function recreateSchema(database: D1Database, migrations: D1Migration[]): Promise<void> {
  if (await deleteNewRows(database, migrations)) return
  await dropTables(database)
  await createSchema(database, migrations)
}

/** Reads all rows of a database whose schema `createSchema` created. */
export async function readRows(database: D1Database, migrations: D1Migration[]): Promise<RowCopy[]> {
  const schema = schemas.get(migrations)
  if (!schema) throw new Error("the database has no schema")
  const [, , ...hasRows] = (await database.prepare(schema.state).raw<number[]>())[0] ?? []
  const tables = schema.copied.filter((table, at) => table !== null && hasRows[at] !== 0) as CopiedTable[]
  // Last, because insertions change it.
  const copied = [...tables, { name: "sqlite_sequence", triggers: [] }]
  const results = await database.batch<Record<string, unknown>>(
    copied.map(({ name }) => database.prepare(`select * from "${name}"`)),
  )
  return copied.map((table, index) => ({ table, rows: results[index]?.results ?? [] }))
}

/** Writes rows into a database that has no others than `createSchema` inserted. */
export async function writeRows(database: D1Database, copies: RowCopy[]): Promise<void> {
  const triggers = copies.flatMap(({ table }) => table.triggers)
  const filled = copies.filter(({ rows }) => rows.length > 0)
  const run = (statements: string[]) => database.prepare(statements.join(";\n") || "select 1")
  await database.batch([
    run(["pragma defer_foreign_keys = on", ...triggers.map(({ name }) => `drop trigger "${name}"`)]),
    ...filled.flatMap(({ table, rows }) => [
      database.prepare(`delete from "${table.name}"`),
      insertRows(database, table.name, rows),
    ]),
    run(triggers.map(({ sql }) => sql)),
  ])
}

/** Inserts any number of rows with one statement. */
function insertRows(database: D1Database, table: string, rows: Record<string, unknown>[]): D1PreparedStatement {
  const columns = Object.keys(rows[0] ?? {})
  const values = columns.map((_, index) => `value ->> ${index}`)
  return database
    .prepare(`insert into "${table}" (${columns.map((name) => `"${name}"`)}) select ${values} from json_each(?)`)
    .bind(JSON.stringify(rows.map((row) => Object.values(row))))
}

/** Drops all tables and views of a database, with their indexes and triggers. */
async function dropTables(database: D1Database): Promise<void> {
  const dropped = (await listObjects(database)).filter(({ type }) => type === "table" || type === "view")
  if (!dropped.length) return
  await database.batch(dropped.map(({ type, name }) => database.prepare(`drop ${type} "${name}"`)))
}

async function readSchema(database: D1Database): Promise<Schema> {
  const objects = await listObjects(database)
  const tables = objects.filter(({ type }) => type === "table")
  const rows = await Promise.all(tables.map(({ name, sql }) => (VIRTUAL.test(sql) ? [] : copyRows(database, name))))
  const resets = tables.map(({ name, sql }, at): TableReset => {
    const insertions = rows[at] ?? []
    const triggers = objects.filter(
      (object) =>
        object.type === "trigger" && object.on === name && (insertions.length > 0 || DELETE_TRIGGER.test(object.sql)),
    )
    return {
      dropTriggers: triggers.map((trigger) => `drop trigger "${trigger.name}"`),
      deleteRows: [...getDeletions(name, sql), ...insertions],
      createTriggers: triggers.map((trigger) => trigger.sql),
    }
  })
  const hasRows = tables.map(({ name }, at) => `exists (select 1 from "${name}") as has_rows_${at}`)
  const copied = tables.map(({ name, sql }): CopiedTable | null => {
    if (VIRTUAL.test(sql)) return null
    const changing = (object: SchemaObject) =>
      (INSERT_TRIGGER.test(object.sql) || DELETE_TRIGGER.test(object.sql)) && !SEARCH_TRIGGER.test(object.name)
    return {
      name,
      triggers: objects.filter((object) => object.type === "trigger" && object.on === name && changing(object)),
    }
  })
  const hasSequences = "exists (select 1 from sqlite_sequence) as has_sequences"
  const state = `select ${["(select sum(length(sql)) from sqlite_master) as length", hasSequences, ...hasRows].join(", ")}`
  const [length] = (await database.prepare(state).raw<number[]>())[0] ?? []
  return {
    // Rows come before the triggers, which count them.
    sql: [
      ...tables.map(({ sql }) => sql),
      ...rows.flat(),
      ...DEPENDENT.flatMap((type) => objects.filter((object) => object.type === type).map(({ sql }) => sql)),
    ].join(";\n"),
    state,
    length: length ?? 0,
    tables: resets,
    copied,
  }
}

/** Returns the statements that delete all rows of a table. The vocabulary of a search index stores no rows. */
function getDeletions(name: string, sql: string): string[] {
  if (SEARCH_INDEX.test(sql)) return [`insert into "${name}" ("${name}") values ('delete-all')`]
  return VIRTUAL.test(sql) ? [] : [`delete from "${name}"`]
}

interface SchemaObject {
  type: string
  name: string
  /** The table of an index or trigger. */
  on: string
  sql: string
}

async function listObjects(database: D1Database): Promise<SchemaObject[]> {
  const { results } = await database
    .prepare("select type, name, tbl_name as 'on', sql from sqlite_master where sql is not null")
    .all<SchemaObject>()
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
