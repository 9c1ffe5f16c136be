// Reads everything that is stored, to assert that requests changed nothing.
import { env } from "cloudflare:workers"

/** Columns that record reads. */
const IGNORED_COLUMNS = /^(last_used_at|last_used_from|seen_at|last_seen_at)$/

/** Internal tables of the runtime and of search indexes, and the metrics, in which reads count their transient errors. */
const IGNORED_TABLES = /^(sqlite_|_cf_|d1_|system_metrics$)|_fts(_|$)/

/** Lists the tables of a database that have rows. Most have none, and a query of each would take most of the time. */
async function listFilledTables(database: D1Database): Promise<string[]> {
  const { results } = await database
    .prepare("select name from sqlite_master where type = 'table' order by name")
    .all<{ name: string }>()
  const names = results.map(({ name }) => name).filter((name) => !IGNORED_TABLES.test(name))
  const columns = names.map((name) => `exists (select 1 from "${name}") as "${name}"`)
  const filled = await database.prepare(`select ${columns.join()}`).first<Record<string, number>>()
  return names.filter((name) => filled?.[name])
}

async function readDatabase(database: D1Database): Promise<Record<string, string[]>> {
  const names = await listFilledTables(database)
  if (!names.length) return {}
  const queryResults = await database.batch<Record<string, unknown>>(
    names.map((name) => database.prepare(`select * from "${name}"`)),
  )
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      (queryResults[index]?.results ?? []).map((row) =>
        JSON.stringify(Object.fromEntries(Object.entries(row).filter(([column]) => !IGNORED_COLUMNS.test(column)))),
      ),
    ]),
  )
}

export type State = Record<string, string[]>

/** Reads every row of both databases and the names of all files, by table. */
export async function readState(): Promise<State> {
  const [central, sites] = await Promise.all([readDatabase(env.DB), readDatabase(env.SITES_1)])
  const files = await Promise.all([env.MEDIA, env.UPDATES, env.BACKUPS, env.ARCHIVE].map((bucket) => bucket.list()))
  return {
    ...Object.fromEntries(Object.entries(central).map(([table, rows]) => [`central.${table}`, rows])),
    ...Object.fromEntries(Object.entries(sites).map(([table, rows]) => [`sites.${table}`, rows])),
    files: files.flatMap(({ objects }) => objects.map(({ key, etag }) => `${key} ${etag}`)),
  }
}

/** Lists removed rows with a `-` and added rows with a `+`. */
export function diffStates(before: State, after: State): string[] {
  return Object.keys({ ...before, ...after }).flatMap((table) => {
    const [oldRows, newRows] = [before[table] ?? [], after[table] ?? []]
    const [oldSet, newSet] = [new Set(oldRows), new Set(newRows)]
    return [
      ...oldRows.filter((row) => !newSet.has(row)).map((row) => `- ${table} ${row}`),
      ...newRows.filter((row) => !oldSet.has(row)).map((row) => `+ ${table} ${row}`),
    ]
  })
}
