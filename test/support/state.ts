// Everything that is stored, as text: it differs when anything was changed that somebody asked for.
import { env } from "cloudflare:workers"

/** What is noted of a look, whoever looked. */
const NOTED = /^(last_used_at|last_used_from|seen_at|last_seen_at)$/

/** Tables of what was refused or let through, rather than of what is: they may grow. */
const ASIDE = /^(sqlite_|_cf_|d1_)|_fts(_|$)/

async function stateOf(database: D1Database): Promise<Record<string, string[]>> {
  const { results: tables } = await database
    .prepare("select name from sqlite_master where type = 'table' order by name")
    .all<{ name: string }>()
  const kept = tables.filter(({ name }) => !ASIDE.test(name))
  const answers = await database.batch<Record<string, unknown>>(
    kept.map(({ name }) => database.prepare(`select * from "${name}"`)),
  )
  return Object.fromEntries(
    kept.map(({ name }, at) => [
      name,
      (answers[at]?.results ?? []).map((row) =>
        JSON.stringify(Object.fromEntries(Object.entries(row).filter(([column]) => !NOTED.test(column)))),
      ),
    ]),
  )
}

export type State = Record<string, string[]>

/** Every row of both databases and the names of all files, by table. */
export async function everything(): Promise<State> {
  const [central, sites] = await Promise.all([stateOf(env.DB), stateOf(env.SITES_1)])
  const files = await Promise.all([env.MEDIA, env.UPDATES].map((bucket) => bucket.list()))
  return {
    ...Object.fromEntries(Object.entries(central).map(([table, rows]) => [`central.${table}`, rows])),
    ...Object.fromEntries(Object.entries(sites).map(([table, rows]) => [`sites.${table}`, rows])),
    files: files.flatMap(({ objects }) => objects.map(({ key, etag }) => `${key} ${etag}`)),
  }
}

/** The rows that are in one state and not in the other, with a sign in front. */
export function differences(before: State, after: State): string[] {
  return Object.keys({ ...before, ...after }).flatMap((table) => {
    const [was, is] = [before[table] ?? [], after[table] ?? []]
    const [known, found] = [new Set(was), new Set(is)]
    return [
      ...was.filter((row) => !found.has(row)).map((row) => `- ${table} ${row}`),
      ...is.filter((row) => !known.has(row)).map((row) => `+ ${table} ${row}`),
    ]
  })
}
